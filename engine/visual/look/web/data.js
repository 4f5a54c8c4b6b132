// The data of a page: a length, a JSON header, then arrays at multiples of 8 bytes; all of it gzipped.
const TYPES = { u1: Uint8Array, i1: Int8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };

async function unzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function readEmbedded(text) {
  const letters = atob(text.trim()), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return parse(await unzip(bytes));
}

function parse(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const base = (4 + length + 7) & ~7;
  head.array = (place) => new TYPES[place.type](buffer, base + place.at, place.count);
  return head;
}

// Poses of moving links, (link, component, world, frame): 16-bit differences along time, low bytes before high bytes.
function decodeTracks(tracks, frames, worlds, array) {
  const planes = array(tracks.planes), count = planes.length / 2, poses = new Float32Array(count);
  const rows = count / frames;
  for (let row = 0; row < rows; row++) {
    const component = Math.floor(row / worlds) % 7, link = Math.floor(row / worlds / 7), start = row * frames;
    const low = tracks.low[link][component], size = tracks.size[link][component];
    let value = 0;
    for (let i = start; i < start + frames; i++) {
      value = (value + planes[i] + (planes[count + i] << 8)) & 65535;
      poses[i] = component < 3 ? low + (value / 65535) * size : ((value << 16) >> 16) / 32767;
    }
  }
  return poses;
}

// Corners count back from the newest point; 0 is a new one. Bytes lie in planes, lowest first.
function decodeTriangles(mesh, array) {
  const planes = array(mesh.triangles), count = planes.length / 4, corners = new Uint32Array(count);
  for (let i = 0, newest = 0; i < count; i++) {
    const code = planes[i] + (planes[count + i] << 8) + (planes[2 * count + i] << 16) + planes[3 * count + i] * 2 ** 24;
    corners[i] = newest - code;
    if (code === 0) newest += 1;
  }
  return corners;
}

function decodePoints(mesh, array) {
  const points = array(mesh.points), values = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3)
    for (let k = 0; k < 3; k++) values[i + k] = mesh.low[k] + (points[i + k] / 65535) * mesh.size[k];
  return values;
}
