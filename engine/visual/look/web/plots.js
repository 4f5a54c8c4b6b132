// Plots beside each other in time: one list of joints with the values at the cursor, one cursor, bounds as bands.
const HUES = ["#1f77d0", "#e8590c", "#2b9348", "#9c36b5", "#e03131", "#0b8c9c", "#6f5bd6", "#c2255c", "#829c0e", "#868e96"];
const hue = (joint) => HUES[joint % HUES.length];

class Plots {
  constructor(head, host, seek) {
    Object.assign(this, { head, host, seek, world: 0, pinned: null, hovered: null, index: 0 });
    this.panels = head.panels.map((panel) => ({ ...panel, time: head.array(panel.time) }));
    const titles = [...new Set(head.panels.map((panel) => panel.title))];
    this.columns = titles.map((title) => this.panels.filter((panel) => panel.title === title)); // of the list: all units in one
    this.visible = head.joints.map(() => true);
    this.list();
    this.draw();
    new ResizeObserver(() => this.resize()).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Values of one curve, a view of the data.
  curve(panel, curve) {
    const all = this.head.array(curve.values), count = panel.time.length;
    return all.subarray(this.world * count * (all.length > count), (this.world * (all.length > count) + 1) * count);
  }

  list() {
    const head = this.head;
    const filter = element("input", { type: "search", placeholder: "filter joints", "aria-label": "Filter joints" });
    filter.addEventListener("input", () => this.filter(filter.value));
    const title = element("tr", {}, element("th", { scope: "col" }, filter),
      ...this.columns.map((panels) => element("th", { scope: "col" }, named(panels[0].title), element("small", {}, panels.map((panel) => panel.unit).join(" | ")))));
    this.rows = head.joints.map((joint, i) => this.row(joint, i, this.columns.length));
    this.list_ = element("table", { className: "joints" }, element("thead", {}, title), element("tbody", {}, ...this.rows));
    this.tools = element("div", { className: "tools" });
    if (head.plottedWorlds > 1) this.tools.append(this.worldChoice());
    this.host.replaceChildren(this.tools, element("div", { className: "scroll" }, this.list_));
    this.plotsHost = element("div", {});
    this.host.append(this.plotsHost);
  }

  row(joint, i, count) {
    const box = element("input", { type: "checkbox", checked: true, "aria-label": `Show ${joint.name}` });
    box.addEventListener("change", () => this.toggle(i, box.checked));
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = hue(i);
    const name = element("button", { className: "name", title: joint.path, "aria-pressed": "false" }, named(joint.name));
    name.addEventListener("click", () => this.pin(i));
    const cells = Array.from({ length: count }, () => element("td"));
    const row = element("tr", {}, element("th", { scope: "row" }, box, swatch, name), ...cells);
    row.addEventListener("pointerenter", () => this.hover(i));
    row.addEventListener("pointerleave", () => this.hover(null));
    return row;
  }

  worldChoice() {
    const options = Array.from({ length: this.head.plottedWorlds }, (_, w) => element("option", { value: w, textContent: `world ${this.head.firstWorld + w}` }));
    const choice = element("select", { "aria-label": "World of the plots" }, ...options);
    choice.addEventListener("change", () => { this.world = +choice.value; this.draw(); this.mark(this.time ?? 0); });
    return element("label", {}, "Plots of ", choice);
  }

  get focus() { return this.pinned ?? this.hovered; }

  draw() {
    for (const panel of this.panels) panel.plot?.destroy();
    this.plotsHost.replaceChildren();
    for (const panel of this.panels) this.plot(panel);
  }

  plot(panel) {
    const ink = variable("--ink"), faint = variable("--line"), plots = this;
    const stroke = (curve) => () => {
      const own = curve.color ?? hue(curve.joint), lit = plots.focus === null || plots.focus === curve.joint;
      return lit ? own : own + "30";
    };
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, font: "11px system-ui, sans-serif" };
    const figure = element("figure", { "aria-label": `Plot of ${panel.title} over time` });
    this.plotsHost.append(figure);
    figure.append(element("figcaption", {}, named(panel.label), element("small", {}, ` [${panel.unit}]${panel.note ? " · " + panel.note : ""}`)));
    panel.plot = new uPlot({
      width: this.width(), height: this.height(), legend: { show: false }, scales: { x: { time: false } },
      cursor: { sync: { key: "time" }, drag: { x: true, y: false }, points: { show: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 54, values: (_, ticks) => ticks.map((tick) => number(tick)) }],
      series: [{}, ...panel.curves.map((curve) => ({
        label: curve.name, stroke: stroke(curve), width: curve.target ? 1.2 : 1.6, dash: curve.dash.length ? curve.dash : undefined,
        points: { show: false }, show: this.visible[curve.joint], spanGaps: false,
      }))],
      hooks: { drawClear: [(plot) => this.bands(plot, panel)], setCursor: [(plot) => this.read(plot)] },
    }, [panel.time, ...panel.curves.map((curve) => this.curve(panel, curve))], figure);
    panel.line = element("div", { className: "now" });
    panel.plot.over.append(panel.line);
    panel.plot.over.addEventListener("click", () => { if (panel.plot.cursor.idx != null) this.seek(panel.time[panel.plot.cursor.idx]); });
  }

  // Bounds of the joint in focus, or of the only visible one.
  bands(plot, panel) {
    const shown = this.visible.flatMap((on, i) => (on ? [i] : []));
    const joint = this.focus ?? (shown.length === 1 ? shown[0] : null);
    const band = panel.bands.find((one) => one.joint === joint);
    if (!band) return;
    const [low, high] = [this.curve(panel, { values: band.low }), this.curve(panel, { values: band.high })];
    const { ctx, bbox } = plot, y = (value) => Math.min(Math.max(plot.valToPos(value, "y", true), bbox.top - 4), bbox.top + bbox.height + 4);
    const edge = (value, far) => (Number.isFinite(value) ? y(value) : far);
    const trace = (values, far, from, step) => {
      for (let i = from; i >= 0 && i < values.length; i += step)
        ctx.lineTo(plot.valToPos(panel.time[i], "x", true), edge(values[i], far));
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    trace(high, bbox.top - 4, 0, 1);
    trace(low, bbox.top + bbox.height + 4, low.length - 1, -1);
    ctx.closePath();
    ctx.fillStyle = hue(joint) + "1c";
    ctx.strokeStyle = hue(joint) + "90";
    ctx.setLineDash([2, 3]);
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }

  width() { return Math.max(this.host.clientWidth - 16, 240); }
  height() { return this.head.kind !== "plots" ? 150 : Math.max(180, Math.min(280, innerHeight / 3)); }

  resize() {
    for (const panel of this.panels) if (panel.plot && panel.plot.width !== this.width()) panel.plot.setSize({ width: this.width(), height: this.height() });
    this.mark(this.time ?? 0);
  }

  redraw() { for (const panel of this.panels) panel.plot?.redraw(false); }

  toggle(joint, on) {
    this.visible[joint] = on;
    for (const panel of this.panels) panel.curves.forEach((curve, i) => { if (curve.joint === joint) panel.plot.setSeries(i + 1, { show: on }); });
  }

  pin(joint) {
    this.pinned = this.pinned === joint ? null : joint;
    this.rows.forEach((row, i) => row.querySelector("button").setAttribute("aria-pressed", String(i === this.pinned)));
    this.redraw();
  }

  hover(joint) { this.hovered = joint; if (this.pinned === null) this.redraw(); }

  filter(text) {
    this.head.joints.forEach((joint, i) => {
      const fits = joint.path.toLowerCase().includes(text.toLowerCase()) || joint.name.toLowerCase().includes(text.toLowerCase());
      this.rows[i].hidden = !fits;
      const on = fits && this.rows[i].querySelector("input").checked;
      if (on !== this.visible[i]) this.toggle(i, on);
    });
  }

  // Values under the pointer, else at the time of the motion.
  read(plot) {
    const index = plot.cursor.idx;
    this.show(index != null && plot.cursor.left >= 0 ? plot.data[0][index] : this.time ?? plot.data[0][plot.data[0].length - 1]);
  }

  // A ten-thousandth of the greatest value of a plot: what is smaller is 0 beside it.
  resolution(panel) {
    if (panel.least === undefined || this.head.kind === "live") {
      let most = 0;
      for (const curve of panel.curves) for (const value of this.curve(panel, curve)) if (Math.abs(value) > most && Number.isFinite(value)) most = Math.abs(value);
      panel.least = most * 1e-4;
    }
    return panel.least;
  }

  show(time) {
    this.columns.forEach((panels, column) => {
      const texts = this.rows.map(() => []);
      for (const panel of panels) {
        const index = nearest(panel.time, time), least = this.resolution(panel);
        for (const curve of panel.curves) if (!curve.target) texts[curve.joint].push(number(this.curve(panel, curve)[index], 3, least));
      }
      this.rows.forEach((row, joint) => (row.cells[column + 1].textContent = texts[joint].join(" · ")));
    });
  }

  mark(time) {
    this.time = time;
    for (const { plot, line } of this.panels) if (plot) {
      const left = plot.valToPos(time, "x");
      line.hidden = !(left >= 0 && left <= plot.over.clientWidth);
      line.style.transform = `translateX(${left}px)`;
    }
    if (this.rows.length <= 60) this.show(time);
  }
}
