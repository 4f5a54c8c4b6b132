// Contacts and tendons: instanced meshes that are placed anew at each time.
const CONTACT_NUMBERS = 7; // point, normal, force

class Marks {
  constructor(stage, head) {
    Object.assign(this, { stage, head, about: head.marks, shown: { contacts: false, tendons: false }, values: null, count: 0 });
    const { most, segments, meshes, colors } = this.about;
    const geometries = meshes.map((mesh) => stage.geometry(mesh));
    const make = (geometry, color, count) => {
      const material = new THREE.MeshBasicMaterial({ color: new THREE.Color().setRGB(...color), depthTest: false });
      const mesh = new THREE.InstancedMesh(geometry, material, Math.max(1, count));
      Object.assign(mesh, { visible: false, frustumCulled: false, renderOrder: 10 });
      stage.scene.add(mesh);
      return mesh;
    };
    this.contacts = geometries.map((geometry, kind) => make(geometry, colors[kind], most));
    this.tendons = make(geometries[1], colors[3], segments.length * stage.worlds);
    if (head.contacts) Object.assign(this, { starts: head.array(head.contacts.starts), all: head.array(head.contacts.values) });
    stage.overlays.push(() => this.place());
  }

  show(name, on) {
    this.shown[name] = on;
    if (name === "tendons") this.tendons.visible = on;
    else for (const mesh of this.contacts) mesh.visible = on;
  }

  // The contacts of a frame of a recorded motion.
  frame(index) {
    if (this.all) this.take(this.all.subarray(CONTACT_NUMBERS * this.starts[index], CONTACT_NUMBERS * this.starts[index + 1]));
  }

  take(values) {
    this.values = values;
    this.count = Math.min(values.length / CONTACT_NUMBERS, this.about.most);
  }

  place() {
    if (this.shown.contacts && this.values) this.placeContacts();
    if (this.shown.tendons) this.placeTendons();
  }

  placeContacts() {
    const { radius, normal, perNewton, longest } = this.about.sizes, [balls, rods, arrows] = this.contacts;
    for (let i = 0; i < this.count; i++) {
      const [x, y, z, a, b, c, force] = this.values.subarray(CONTACT_NUMBERS * i, CONTACT_NUMBERS * (i + 1));
      const length = Math.min(force * perNewton, longest), head = Math.min(1.4 * radius, length);
      along(balls, i, [x, y, z], [a, b, c], radius, radius);
      along(rods, i, [x + (a * normal) / 2, y + (b * normal) / 2, z + (c * normal) / 2], [a, b, c], radius / 4, normal);
      along(arrows, i, [x, y, z], [a, b, c], head, length);
    }
    for (const mesh of this.contacts) { mesh.count = this.count; mesh.instanceMatrix.needsUpdate = true; }
  }

  placeTendons() {
    const { stage } = this, { segments, sizes } = this.about, { links, worlds, count } = stage;
    const point = (world, link, x, y, z) => {
      const o = 16 * (world * count + link);
      return [0, 1, 2].map((k) => links[o + k] * x + links[o + 4 + k] * y + links[o + 8 + k] * z + links[o + 12 + k]);
    };
    for (let world = 0, i = 0; world < worlds; world++)
      for (const [link, x, y, z, other, u, v, w] of segments) {
        const from = point(world, link, x, y, z), to = point(world, other, u, v, w);
        const way = to.map((value, k) => value - from[k]), length = Math.hypot(...way) || 1e-12;
        along(this.tendons, i++, from.map((value, k) => value + way[k] / 2), way.map((value) => value / length), sizes.tendon, length);
      }
    this.tendons.instanceMatrix.needsUpdate = true;
  }
}

// Place an instance with its z axis along a direction.
function along(mesh, index, place, direction, radius, length) {
  const z = new THREE.Vector3(...direction), most = Math.abs(z.x) < 0.6 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  const x = new THREE.Vector3().crossVectors(z, most).normalize(), y = new THREE.Vector3().crossVectors(z, x);
  const m = mesh.instanceMatrix.array, o = 16 * index;
  m.set([x.x * radius, x.y * radius, x.z * radius, 0, y.x * radius, y.y * radius, y.z * radius, 0], o);
  m.set([z.x * length, z.y * length, z.z * length, 0, place[0], place[1], place[2], 1], o + 8);
}
