// Start: plots first, so that they are there without WebGL, then the scene.
const page = (window.fajin = { ready: false, frames: 0 });

function explain(error) {
  const lacking = /WebGL|context/i.test(String(error)), instead = $("#poster").getAttribute("src") ? "there is a picture instead of the moving robot" : "the robot is not drawn";
  const text = lacking ? `This browser offers no WebGL, so ${instead}.` : `Cannot show the scene: ${error.message}`;
  $("#explain").textContent = text;
  $("#explain").hidden = false;
}

function drawScene(head) {
  const stage = new Stage(head, $("#canvas")), overlays = new Overlays(stage, $("#tip"));
  document.querySelectorAll("#show input").forEach((box) => {
    box.checked = head.show.includes(box.name); // browsers keep choices over a reload
    overlays.set(box.name, box.checked);
    box.addEventListener("change", () => overlays.show(box.name, box.checked));
  });
  $("#home").addEventListener("click", () => { overlays.follow(null); stage.home(); });
  return { stage, overlays };
}

const SLOW = 150; // [ms] between pictures; slower machines get simpler ones

function loop(stage, overlays, player) {
  let last = performance.now(), slow = 0;
  const tick = (now) => {
    const moving = player ? player.playing : !page.live?.paused;
    slow = moving && now - last > SLOW ? slow + 1 : Math.max(0, slow - 1);
    if (slow > 6) { stage?.simplify(); slow = 0; }
    player?.advance((now - last) / 1000);
    last = now;
    overlays?.track();
    stage?.controls.update();
    if (stage?.dirty) {
      stage.dirty = false;
      stage.render();
      page.frames += 1;
      $("#poster").hidden = true;
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame((now) => {
    tick(now);
    player?.begin(); // after the first picture, which may take a second
    page.ready = true;
    page.loaded = performance.now();
  });
}

function startMotion(head) {
  let stage = null, overlays = null;
  const history = head.kind === "live" ? head.array : null;
  if (history) head.array = (place) => (ArrayBuffer.isView(place) ? place : history(place));
  const plots = head.panels.length ? new Plots(head, $("#plots"), (time) => page.player?.seek(time)) : null;
  if (!plots) document.body.classList.add("bare");
  if (head.table) $("#plots").prepend(sortable(head.table.columns, head.table.rows, head.table.caption));
  if (head.links) {
    try { ({ stage, overlays } = drawScene(head)); } catch (error) { page.error = String(error); explain(error); }
  } else $("#view").hidden = true;
  if (head.kind === "live") {
    page.live = new Live(head, stage, plots);
    page.live.overlays = overlays;
  } else page.player = new Player(head, stage, plots);
  Object.assign(page, { stage, overlays, plots, head });
  if (!stage) document.body.classList.add("flat");
  loop(stage, overlays, page.player);
}

function startPlots(head) {
  const host = $("#plots");
  if (head.table) host.before(sortable(head.table.columns, head.table.rows, head.table.caption));
  Object.assign(page, { head, plots: head.panels.length ? new Plots(head, host, () => {}) : null, ready: true });
}

async function start() {
  const tag = $("#data");
  const head = tag ? await readEmbedded(tag.textContent) : parse(await unzip(new Uint8Array(await (await fetch("scene" + location.search)).arrayBuffer())));
  document.title = head.title;
  $("#title").textContent = head.title;
  for (const note of head.notes) $("#notes").append(element("li", {}, named(note)));
  $("#more").hidden = !head.notes.length;
  if (head.kind === "report") Object.assign(page, { head, report: new Report(head, $("#plots")), ready: true });
  else if (head.kind === "plots") startPlots(head);
  else startMotion(head);
}

start().catch((error) => {
  page.error = String(error);
  $("#explain").textContent = `Cannot show this page: ${error.message}`;
  $("#explain").hidden = false;
  throw error;
});
