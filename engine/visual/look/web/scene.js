// The drawn scene: instanced meshes whose matrices follow the poses of links.
class Stage {
  constructor(head, canvas) {
    Object.assign(this, { head, canvas, dirty: true, detail: 0, groups: [], overlays: [] });
    this.worlds = head.worlds;
    this.count = head.links.length;
    this.up = head.up === "Y" ? 1 : 2;
    this.links = new Float32Array(this.worlds * this.count * 16);
    for (let i = 0; i < this.worlds * this.count; i++) this.links.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 16 * i);
    this.origins = head.array(head.origins);
    this.build();
  }

  build() {
    const { head } = this;
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = head.shadows;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(head.camera.field, 1, 0.01, 1000);
    this.camera.up.setComponent(this.up, 1);
    this.camera.up.setComponent(this.up === 1 ? 2 : 1, 0);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f99, 1.7));
    this.geometries = head.meshes.map((mesh) => this.geometry(mesh));
    this.shapes();
    this.floor();
    this.home();
    this.recolor();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
    this.resize();
  }

  geometry(mesh) {
    const { head } = this, geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(decodePoints(mesh, head.array), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(head.array(mesh.normals), 3, true));
    if (mesh.uv) geometry.setAttribute("uv", new THREE.BufferAttribute(head.array(mesh.uv), 2));
    geometry.setIndex(new THREE.BufferAttribute(decodeTriangles(mesh, head.array), 1));
    return geometry;
  }

  // One instanced mesh for all shapes of one mesh and one surface, in all worlds.
  shapes() {
    const alike = new Map();
    for (const shape of this.head.shapes) {
      const key = [shape.mesh, shape.color, shape.opacity, shape.metallic, shape.roughness, shape.guide, shape.ghost, shape.front, shape.texture].join();
      if (!alike.has(key)) alike.set(key, []);
      alike.get(key).push(shape);
    }
    for (const shapes of alike.values()) {
      const first = shapes[0], clear = first.opacity < 1;
      const material = new THREE.MeshStandardMaterial({
        color: new THREE.Color().setRGB(...first.color), metalness: Math.min(first.metallic, 0.4), roughness: first.roughness,
        transparent: clear, opacity: first.opacity, depthWrite: !clear, side: THREE.DoubleSide,
        depthTest: !first.front, polygonOffset: Boolean(first.ghost), polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      });
      if (first.texture >= 0 && !first.ghost) this.paint(material, first.texture);
      const mesh = new THREE.InstancedMesh(this.geometries[first.mesh], material, shapes.length * this.worlds);
      mesh.castShadow = mesh.receiveShadow = !clear && this.head.shadows;
      mesh.frustumCulled = false;
      mesh.renderOrder = first.front ? 8 : 0;
      mesh.visible = !first.guide;
      mesh.userData = { shapes, guide: first.guide, local: shapes.map((shape) => Float32Array.from(shape.matrix)) };
      this.groups.push(mesh);
      this.scene.add(mesh);
    }
  }

  // The mean color is seen until the picture is decoded.
  async paint(material, number) {
    this.pictures ??= [];
    const { type, data } = this.head.textures[number];
    this.pictures[number] ??= createImageBitmap(new Blob([this.head.array(data)], { type }), { imageOrientation: "flipY" });
    const texture = new THREE.Texture(await this.pictures[number]);
    Object.assign(texture, { colorSpace: THREE.SRGBColorSpace, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, flipY: false, needsUpdate: true });
    material.map = texture;
    material.color.setRGB(1, 1, 1);
    material.needsUpdate = this.dirty = true;
    this.painted = (this.painted ?? 0) + 1;
  }

  floor() {
    const { center, radius, floor } = this.head.extent, wide = Math.max(6 * radius, 1);
    const cell = 10 ** Math.floor(Math.log10(wide / 12)), cells = 2 * Math.ceil(wide / cell / 2), size = cells * cell;
    const lines = new THREE.LineSegments(gridGeometry(cells, cell, this.up), new THREE.LineBasicMaterial({ transparent: true }));
    const shade = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: 0.25 }));
    if (this.up === 1) shade.rotation.x = -Math.PI / 2;
    shade.receiveShadow = true;
    for (const [thing, below] of [[lines, 1e-3], [shade, 2e-3]]) {
      thing.position.set(...center.map((value, k) => (k === this.up ? floor - below * radius : Math.round(value / cell) * cell)));
      this.scene.add(thing);
    }
    const sun = new THREE.DirectionalLight(0xffffff, 2.2), r = this.head.extent.shadow;
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.target.position.set(...center);
    sun.position.set(...center).add(this.up === 2 ? new THREE.Vector3(r, -0.6 * r, 2.2 * r) : new THREE.Vector3(r, 2.2 * r, 0.6 * r));
    Object.assign(sun.shadow.camera, { left: -1.3 * r, right: 1.3 * r, top: 1.3 * r, bottom: -1.3 * r, near: 0.1 * r, far: 6 * r });
    sun.shadow.bias = -2e-4;
    sun.shadow.normalBias = 0.004 * r;
    this.scene.add(sun, sun.target);
    Object.assign(this, { lines, shade });
  }

  home() {
    const { eye, target, field } = this.head.camera, far = this.camera.position;
    far.set(...eye);
    this.camera.fov = field;
    this.controls.target.set(...target);
    const distance = far.distanceTo(this.controls.target);
    this.camera.near = distance / 300;
    this.camera.far = distance * 100;
    this.controls.update();
    this.resize();
  }

  recolor() {
    this.scene.background = new THREE.Color(variable("--stage"));
    this.lines.material.color.set(variable("--grid"));
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    const share = [1, 1, 1, 0.5][this.detail];
    this.renderer.setPixelRatio((this.detail > 1 ? 1 : Math.min(devicePixelRatio, 2)) * share);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const { field, aspect } = this.head.camera, slope = Math.tan((field * Math.PI) / 360);
    this.camera.fov = (360 / Math.PI) * Math.atan(slope * Math.max(1, aspect / this.camera.aspect)); // as wide as the camera was placed for
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  // Software WebGL: first without shadows, then in fewer pixels.
  simplify() {
    if (this.detail >= 3) return;
    this.detail += 1;
    this.renderer.shadowMap.enabled = this.head.shadows && this.detail < 1;
    for (const mesh of this.groups) mesh.material.needsUpdate = true;
    this.shade.visible = this.renderer.shadowMap.enabled;
    this.resize();
  }

  setPose(world, link, x, y, z, a, b, c, d) {
    const m = this.links, o = 16 * (world * this.count + link), n = 1 / Math.hypot(a, b, c, d), w = 3 * world, f = this.origins;
    a *= n; b *= n; c *= n; d *= n;
    m[o] = 1 - 2 * (b * b + c * c); m[o + 1] = 2 * (a * b + c * d); m[o + 2] = 2 * (a * c - b * d);
    m[o + 4] = 2 * (a * b - c * d); m[o + 5] = 1 - 2 * (a * a + c * c); m[o + 6] = 2 * (b * c + a * d);
    m[o + 8] = 2 * (a * c + b * d); m[o + 9] = 2 * (b * c - a * d); m[o + 10] = 1 - 2 * (a * a + b * b);
    m[o + 12] = x + f[w]; m[o + 13] = y + f[w + 1]; m[o + 14] = z + f[w + 2];
  }

  place() {
    const { links, worlds, count, origins } = this;
    for (const mesh of this.groups) {
      if (!mesh.visible) continue;
      const { shapes, local } = mesh.userData, out = mesh.instanceMatrix.array;
      for (let w = 0, to = 0; w < worlds; w++)
        for (let s = 0; s < shapes.length; s++, to += 16) {
          const m = local[s], link = shapes[s].link;
          if (link < 0) {
            out.set(m, to);
            for (let k = 0; k < 3; k++) out[to + 12 + k] += origins[3 * w + k];
          } else multiply(out, to, links, 16 * (w * count + link), m);
        }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const overlay of this.overlays) overlay();
    this.dirty = true;
  }

  render() { this.renderer.render(this.scene, this.camera); }
}

// A segment per edge of a cell: software WebGL loses lines that reach far behind the camera.
function gridGeometry(cells, cell, up) {
  const points = [], half = cells / 2, across = up === 2 ? [0, 1] : [0, 2];
  for (let i = -half; i <= half; i++)
    for (let k = -half; k < half; k++)
      for (const [one, other] of [across, [...across].reverse()])
        for (const end of [k, k + 1]) {
          const point = [0, 0, 0];
          point[one] = i * cell;
          point[other] = end * cell;
          points.push(...point);
        }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(points), 3));
  return geometry;
}

function multiply(out, to, a, at, b) {
  for (let column = 0; column < 16; column += 4)
    for (let row = 0; row < 4; row++)
      out[to + column + row] = a[at + row] * b[column] + a[at + 4 + row] * b[column + 1] + a[at + 8 + row] * b[column + 2] + a[at + 12 + row] * b[column + 3];
}
