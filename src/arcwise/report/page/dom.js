// Elements and texts. Data only ever becomes text: there is no innerHTML in this page.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings and numbers become text, `on…` attributes listeners. */
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for a drawing. */
function shape(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/**
 * A name as one can see it: signs that steer the text or have no picture are shown as pictures or codes, blanks in
 * quotation marks. Joiners, variation selectors and tags stay, without which emoji and some scripts fall apart.
 */
function visible(name) {
  const text = name
    .replace(/[\u0000-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
    .replace(
      /(?![\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}])[\u007f-\u009f\u2028\u2029\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu,
      (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`,
    );
  return text.trim() === "" ? `“${text.replace(/\s/g, "␣")}”` : text;
}

/** A text as it is compared with what is sought: é may be one sign or two. */
function folded(text) {
  return text.normalize().toLowerCase();
}

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const threeDigits = new Intl.NumberFormat("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const significant = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** "1 parent", "1,204 parents". */
function counted(number, one, many = `${one}s`) {
  return `${grouped.format(number)} ${number === 1 ? one : many}`;
}

function percent(share) {
  return `${oneDigit.format(100 * share)} %`;
}

/** What the score loses without an arc: digits enough to compare. */
function gainText(gain) {
  return Math.abs(gain) >= 1000 ? grouped.format(gain) : oneDigit.format(gain);
}

/** A probability; the smallest ones do not pass for zero, nor the largest for one. */
function probabilityText(value) {
  if (value > 0 && value < 0.0005) return "< .001";
  if (value < 1 && value >= 0.9995) return "> .999";
  return value.toFixed(3);
}

function announce(text) {
  byId("announcer").textContent = text;
}

/** Fill a section and show it. */
function fillSection(id, title, ...children) {
  const section = byId(id);
  section.replaceChildren(element("h2", { id: `${id}-title` }, title), ...children);
  section.hidden = false;
  return section;
}
