// A running simulation: states come as one stream of float32 numbers, commands go as small JSON messages.
const HISTORY = 600; // states in the plots
const FORCE = 60; // [N per kg and m] of a pull at a link

class Live {
  constructor(head, stage, plots) {
    Object.assign(this, { head, stage, plots, states: 0, speed: 1, history: [], paused: false });
    this.query = location.search;
    for (const id of ["#scrub", "#play", "#looping"]) $(id).hidden = true;
    document.body.classList.add("live");
    this.buttons();
    this.sliders();
    if (stage) new Pull(this, stage);
    addEventListener("keydown", (event) => this.key(event));
    this.listen();
  }

  send(message) {
    return fetch("set" + this.query, { method: "POST", body: JSON.stringify(message) }).catch(() => this.lost());
  }

  buttons() {
    const add = (id, text, label, action) => {
      const button = element("button", { id, "aria-label": label, title: label }, text);
      button.addEventListener("click", action);
      $("#play").before(button);
    };
    add("pause", "❚❚", "Pause (Space)", () => this.send({ do: "pause" }));
    add("step", "❚▶", "One step (→)", () => this.send({ do: "step" }));
    add("reset", "↺", "Reset (Backspace)", () => this.send({ do: "reset" }));
    $("#speed").addEventListener("change", (event) => this.faster(+event.target.value));
  }

  faster(speed) { this.speed = speed; $("#speed").value = String(speed); this.send({ speed }); }

  key(event) {
    if (event.ctrlKey || event.metaKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName) || /^(search|checkbox|range)$/.test(event.target.type)) return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
    const next = (by) => SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)];
    const action = {
      " ": () => this.send({ do: "pause" }), ArrowRight: () => this.send({ do: "step" }), Backspace: () => this.send({ do: "reset" }),
      "-": () => this.faster(next(-1)), "+": () => this.faster(next(1)), "=": () => this.faster(next(1)),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  sliders() {
    const { controls } = this.head;
    this.rows = controls.map((control) => {
      const id = `target-${control.column}`, wide = control.high - control.low, least = wide / 2000;
      const input = element("input", { type: "range", id, min: control.low, max: control.high, step: wide / 1000, value: control.value });
      const target = element("output", { for: id, textContent: number(control.value, 3, least) });
      const actual = element("span", { className: "actual", textContent: "–" });
      input.addEventListener("input", () => {
        target.textContent = number(+input.value, 3, least);
        this.send({ target: { [control.dof]: +input.value } });
      });
      $("#sliders").append(element("label", { for: id, title: control.dof }, named(control.name), input, target, actual, element("small", {}, control.unit)));
      return { ...control, input, target, actual, least };
    });
    if (controls.length) $("#sliders").prepend(element("div", { className: "caption" }, element("b", {}, "Targets"), element("span"), element("small", {}, "target"), element("small", {}, "actual"), element("span")));
    $("#sliders").hidden = !controls.length;
  }

  async listen() {
    const { worlds, links, joints } = this.head, most = this.head.marks?.most ?? 0, size = 4 * (8 + 3 * joints.length + 7 * worlds * links.length + CONTACT_NUMBERS * most);
    try {
      const reader = (await fetch("stream" + this.query)).body.getReader();
      let rest = new Uint8Array(0);
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const bytes = new Uint8Array(rest.length + value.length);
        bytes.set(rest);
        bytes.set(value, rest.length);
        const whole = Math.floor(bytes.length / size);
        rest = bytes.slice(whole * size);
        if (whole) this.take(new Float32Array(bytes.slice((whole - 1) * size, whole * size).buffer), whole); // the newest
      }
    } catch { /* the server has gone */ }
    this.lost();
  }

  lost() {
    this.disconnected = true;
    $("#status").textContent = "disconnected";
    document.body.classList.add("disconnected");
  }

  take(state, count) {
    const { head, stage } = this, [time, factor, paused, speed, late, contacts] = state, dofs = head.joints.length;
    this.states += count;
    Object.assign(this, { time, factor, paused: paused > 0, late });
    const q = state.subarray(8, 8 + dofs), targets = state.subarray(8 + dofs, 8 + 2 * dofs);
    $("#time").textContent = `${time.toFixed(3)} s`;
    $("#pause").textContent = this.paused ? "▶" : "❚❚";
    $("#pause").setAttribute("aria-label", this.paused ? "Run (Space)" : "Pause (Space)");
    $("#rate").textContent = this.paused ? "paused" : `${factor.toFixed(2)} × real time`;
    if (document.activeElement !== $("#speed") && speed !== this.speed) { this.speed = speed; $("#speed").value = String(speed); }
    for (const row of this.rows) {
      row.actual.textContent = number(q[row.column], 3, row.least);
      if (document.activeElement !== row.input) { row.input.value = targets[row.column]; row.target.textContent = number(targets[row.column], 3, row.least); }
    }
    if (stage) {
      if (head.marks?.most) stage.marks.take(state.slice(state.length - CONTACT_NUMBERS * head.marks.most).subarray(0, CONTACT_NUMBERS * contacts));
      for (let w = 0, at = 8 + 3 * dofs; w < head.worlds; w++)
        for (let link = 0; link < head.links.length; link++, at += 7)
          stage.setPose(w, link, state[at], state[at + 1], state[at + 2], state[at + 3], state[at + 4], state[at + 5], state[at + 6]);
      stage.posed = true;
      stage.place();
    }
    this.remember(time, state.subarray(8, 8 + 3 * dofs).slice());
  }

  remember(time, values) {
    const { history, plots } = this;
    if (history.length && time < history[history.length - 1][0]) history.length = 0;
    if (history.length && time === history[history.length - 1][0]) return;
    history.push([time, values]);
    if (history.length > HISTORY) history.shift();
    if (!plots || this.states % 4) return;
    const times = Float64Array.from(history, (row) => row[0]);
    for (const panel of plots.panels) {
      panel.time = times;
      for (const curve of panel.curves) curve.values = Float32Array.from(history, (row) => row[1][curve.row]);
      panel.plot.setData([times, ...panel.curves.map((curve) => curve.values)]);
    }
    plots.mark(time);
  }
}

// Ctrl and drag pull at a link with a force that grows with the distance.
class Pull {
  constructor(live, stage) {
    Object.assign(this, { live, stage, hit: null });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0xe03131, depthTest: false }));
    Object.assign(this.line, { visible: false, frustumCulled: false, renderOrder: 11 });
    stage.scene.add(this.line);
    const canvas = stage.canvas;
    canvas.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, () => this.end());
  }

  begin(event) {
    if (!event.ctrlKey) return;
    const hit = this.live.overlays.pick(event);
    if (!hit || hit.link < 0) return;
    event.stopImmediatePropagation();
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.hit = hit;
    const away = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(away, hit.point);
  }

  move(event) {
    if (!this.hit) return;
    const box = this.stage.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2), this.stage.camera);
    const to = ray.ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!to) return;
    const from = this.live.overlays.place(this.hit), pull = to.clone().sub(this.hit.point).multiplyScalar(FORCE);
    this.line.geometry.attributes.position.array.set([...from.toArray(), ...from.clone().addScaledVector(pull, 1 / FORCE).toArray()]);
    this.line.geometry.attributes.position.needsUpdate = true;
    this.line.visible = this.stage.dirty = true;
    if (performance.now() < (this.due ?? 0)) return;
    this.due = performance.now() + 30;
    this.live.send({ force: { world: this.hit.world, link: this.stage.head.links[this.hit.link].path, vector: pull.toArray() } });
  }

  end() {
    if (!this.hit) return;
    this.live.send({ force: { world: this.hit.world, link: this.stage.head.links[this.hit.link].path, vector: [0, 0, 0] } });
    this.hit = null;
    this.line.visible = false;
    this.stage.controls.enabled = this.stage.dirty = true;
  }
}
