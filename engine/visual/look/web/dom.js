// Small helpers of all pages. Text of files and logs enters the page as text nodes only.
const $ = (selector) => document.querySelector(selector);

function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || ["role", "for", "scope"].includes(key)) node.setAttribute(key, value);
    else if (key === "data") Object.assign(node.dataset, value);
    else node[key] = value;
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// A name keeps its own writing direction.
const named = (text, properties = {}) => element("bdi", { textContent: text, ...properties });

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Values below `least` are 0.
function number(value, digits = 4, least = 1e-12) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) <= Math.max(least, 1e-12)) return "0";
  const small = Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6;
  const text = small ? value.toExponential(2) : String(+value.toPrecision(digits));
  return text.replaceAll("-", "−");
}

function nearest(values, wanted) {
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= wanted) low = middle;
    else high = middle;
  }
  return wanted - values[low] <= values[high] - wanted ? low : high;
}
