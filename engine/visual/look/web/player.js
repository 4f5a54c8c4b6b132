// Playing of a recorded motion: time, speed, loop, keys.
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

class Player {
  constructor(head, stage, plots) {
    Object.assign(this, { head, stage, plots, playing: false, speed: 1 });
    this.frames = head.array(head.time);
    this.first = this.frames[0];
    this.last = this.frames[this.frames.length - 1];
    this.poses = stage && decodeTracks(head.tracks, this.frames.length, head.worlds, head.array);
    if (stage) for (const [link, pose] of head.still) for (let w = 0; w < head.worlds; w++) stage.setPose(w, link, ...pose);
    this.controls();
    this.seek(this.first);
  }

  controls() {
    const scrub = $("#scrub");
    Object.assign(scrub, { min: this.first, max: this.last, step: "any", value: this.first });
    scrub.addEventListener("input", () => { this.playing = false; this.seek(+scrub.value); });
    $("#play").addEventListener("click", () => this.toggle());
    $("#speed").addEventListener("change", (event) => (this.speed = +event.target.value));
    addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName) || /^(search|checkbox|number)$/.test(event.target.type)) return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(event.target.tagName)) return; // activates that button
    const steps = event.shiftKey ? 10 : 1;
    const action = {
      " ": () => this.toggle(), ArrowRight: () => this.stepBy(steps), ArrowLeft: () => this.stepBy(-steps),
      Home: () => this.seek(this.first), End: () => this.seek(this.last), "-": () => this.faster(-1), "+": () => this.faster(1), "=": () => this.faster(1),
    }[event.key];
    if (!action || (event.target.type === "range" && event.target.id !== "scrub")) return;
    event.preventDefault();
    action();
  }

  // A page plays when it is opened, unless its user wants little motion.
  begin() {
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.toggle();
  }

  toggle() {
    if (!this.playing && this.time >= this.last) this.seek(this.first);
    this.playing = !this.playing && this.last > this.first;
    this.label();
  }

  label() {
    $("#play").textContent = this.playing ? "❚❚" : "▶";
    $("#play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  faster(by) {
    const place = Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[place];
    $("#speed").value = String(this.speed);
  }

  stepBy(frames) {
    this.playing = false;
    this.label();
    this.seek(this.frames[Math.min(Math.max(nearest(this.frames, this.time) + frames, 0), this.frames.length - 1)]);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.first), this.last);
    $("#scrub").value = this.time;
    $("#time").textContent = `${this.time.toFixed(3)} s`;
    $("#scrub").setAttribute("aria-valuetext", `${this.time.toFixed(2)} seconds`);
    if (this.stage) this.pose();
    this.plots?.mark(this.time);
  }

  // Between frames poses are blended, rotations the short way.
  pose() {
    const { frames, poses: p, stage, head } = this, total = frames.length, worlds = head.worlds;
    let before = nearest(frames, this.time);
    if (frames[before] > this.time && before > 0) before -= 1;
    const after = Math.min(before + 1, total - 1), gap = frames[after] - frames[before];
    stage.marks?.frame(this.time - frames[before] <= frames[after] - this.time ? before : after);
    const share = gap > 0 ? (this.time - frames[before]) / gap : 0, e = new Float64Array(7);
    head.moved.forEach((link, k) => {
      for (let w = 0; w < worlds; w++) {
        const at = (component) => ((k * 7 + component) * worlds + w) * total;
        let dot = 0;
        for (let c = 3; c < 7; c++) dot += p[at(c) + before] * p[at(c) + after];
        for (let c = 0; c < 7; c++) e[c] = p[at(c) + before] * (1 - share) + (c > 2 && dot < 0 ? -1 : 1) * p[at(c) + after] * share;
        stage.setPose(w, link, e[0], e[1], e[2], e[3], e[4], e[5], e[6]);
      }
    });
    stage.posed = true;
    stage.place();
  }

  advance(elapsed) {
    if (!this.playing) return;
    let time = this.time + Math.min(elapsed, 0.5) * this.speed;
    if (time > this.last) {
      this.playing = $("#loop").checked;
      time = this.playing ? this.first : this.last;
      this.label();
    }
    this.seek(time);
  }
}
