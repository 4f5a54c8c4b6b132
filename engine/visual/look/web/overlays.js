// What is drawn on request, names under the pointer, and following of a link.
const MOST_PICKED = 3e6; // triangles; above, a search under the pointer takes too long

class Overlays {
  constructor(stage, tip) {
    Object.assign(this, { stage, tip, due: 0, followed: null });
    const size = 0.1 * stage.head.extent.radius / Math.max(1, Math.sqrt(stage.worlds));
    const bones = Math.min(stage.worlds, 16);
    this.kinds = {
      frames: this.frames(size, bones), joints: this.joints(1.6 * size, bones), com: this.centers(0.16 * size, bones), inertia: this.boxes(bones),
    };
    this.marks = stage.marks = stage.head.marks ? new Marks(stage, stage.head) : null;
    const there = { contacts: this.marks?.about.most, tendons: this.marks?.about.segments.length };
    for (const [name, count] of Object.entries(there)) $(`#show [name=${name}]`).parentElement.hidden = !count;
    for (const group of Object.values(this.kinds)) { group.visible = false; stage.scene.add(group); }
    stage.canvas.addEventListener("pointermove", (event) => this.hover(event));
    stage.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    stage.canvas.addEventListener("dblclick", (event) => this.follow(this.pick(event)));
  }

  // A thing on a link of a world, updated with its pose.
  attach(group, thing, world, link) {
    thing.matrixAutoUpdate = false;
    thing.renderOrder = 9;
    thing.material.depthTest = false;
    group.add(thing);
    this.stage.overlays.push(() => { if (group.visible) thing.matrix.fromArray(this.stage.links, 16 * (world * this.stage.count + link)); });
  }

  frames(size, worlds) {
    const group = new THREE.Group(), { head } = this.stage;
    for (let w = 0; w < worlds; w++) for (const link of head.framed) this.attach(group, new THREE.AxesHelper(size), w, link);
    return group;
  }

  joints(size, worlds) {
    const group = new THREE.Group();
    for (let w = 0; w < worlds; w++) for (const joint of this.stage.head.axes) {
      const geometry = new THREE.BufferGeometry(), { position: p, axis: a } = joint;
      const ends = [...p.map((value, k) => value - size * a[k]), ...p.map((value, k) => value + size * a[k])];
      geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(ends), 3));
      this.attach(group, new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: joint.rotational ? 0xf76707 : 0xae3ec9 })), w, joint.link);
    }
    return group;
  }

  centers(size, worlds) {
    const group = new THREE.Group(), { head } = this.stage;
    for (let w = 0; w < worlds; w++) head.links.forEach((link, i) => {
      const geometry = new THREE.SphereGeometry(size, 12, 8).translate(...link.com);
      this.attach(group, new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0xfab005 })), w, i);
    });
    return group;
  }

  // The even boxes with the mass and inertia of the links.
  boxes(worlds) {
    const group = new THREE.Group(), { head } = this.stage, material = new THREE.MeshBasicMaterial({ color: 0x7048e8, transparent: true, opacity: 0.3, depthWrite: false });
    for (let w = 0; w < worlds; w++) head.links.forEach((link, i) => {
      const geometry = boxGeometry().applyMatrix4(new THREE.Matrix4().fromArray(link.box));
      this.attach(group, new THREE.Mesh(geometry, material), w, i);
    });
    return group;
  }

  show(name, on) {
    this.set(name, on);
    this.stage.place();
  }

  set(name, on) {
    const { stage } = this;
    if (name === "visuals" || name === "colliders")
      for (const mesh of stage.groups) { if (mesh.userData.guide === (name === "colliders")) mesh.visible = on; }
    else if (name === "floor") stage.lines.visible = stage.shade.visible = on;
    else if (name === "contacts" || name === "tendons") this.marks?.show(name, on);
    else this.kinds[name].visible = on;
  }

  pick(event) {
    const { stage } = this, box = stage.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    const place = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    ray.setFromCamera(place, stage.camera);
    const searched = stage.groups.filter((mesh) => mesh.visible && mesh.geometry.index.count * mesh.count < 3 * MOST_PICKED);
    const hit = ray.intersectObjects(searched, false)[0];
    if (!hit) return null;
    const { shapes } = hit.object.userData, shape = shapes[hit.instanceId % shapes.length];
    return { link: shape.link, path: shape.path, world: Math.floor(hit.instanceId / shapes.length), point: hit.point };
  }

  hover(event) {
    if (event.buttons || performance.now() < this.due) return;
    const began = performance.now(), hit = this.pick(event);
    this.due = performance.now() + 4 * (performance.now() - began);
    this.tip.hidden = !hit;
    if (!hit) return;
    const { head } = this.stage, name = hit.link < 0 ? hit.path : head.links[hit.link].name;
    this.tip.replaceChildren(named(name), this.stage.worlds > 1 ? ` · world ${head.firstWorld + hit.world}` : "");
    this.tip.style.left = `${Math.min(event.clientX + 14, innerWidth - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${event.clientY + 10}px`;
  }

  // The camera goes along with a link; the floor, or nothing, ends that.
  follow(hit) {
    this.followed = hit && hit.link >= 0 ? hit : null;
    this.last = this.followed && this.place(this.followed);
    const note = this.followed ? `following ${this.stage.head.links[hit.link].name}` : "";
    $("#status").textContent = note;
  }

  place({ world, link }) { return new THREE.Vector3().fromArray(this.stage.links, 16 * (world * this.stage.count + link) + 12); }

  track() {
    const { head } = this.stage;
    if (head.follow && this.stage.posed) {
      this.follow(head.follow);
      head.follow = null;
    }
    if (!this.followed) return;
    const now = this.place(this.followed), { along = [1, 1, 1] } = this.followed;
    const step = now.clone().sub(this.last).multiply(new THREE.Vector3(...along));
    this.last = now;
    if (step.lengthSq() === 0) return;
    this.stage.camera.position.add(step);
    this.stage.controls.target.add(step);
    this.stage.dirty = true;
  }
}

function boxGeometry() {
  const geometry = new THREE.BufferGeometry(), corners = [];
  for (let i = 0; i < 8; i++) corners.push((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5);
  geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(corners), 3));
  geometry.setIndex([0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]);
  return geometry;
}
