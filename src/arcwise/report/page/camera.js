// What part of the network one sees: zoom and place, moved by wheel, fingers, keys and buttons.

const MOST_ZOOM = 4;
const SCROLLING = 300; // ms for which a page that was scrolled counts as being scrolled

class Camera {
  /** `bounds` of the network in its own pixels; `changed` is called after every move. */
  constructor(bounds, changed) {
    this.bounds = bounds;
    this.changed = changed;
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.width = 1;
    this.height = 1;
    this.flight = 0;
    this.covered = { top: 60, bottom: 60 }; // by the tools and the legend
  }

  /** The zoom that shows everything; small networks are not blown up. */
  get fitting() {
    const { left, right, top, bottom } = this.bounds;
    const height = Math.max(this.height - this.covered.top - this.covered.bottom, 50);
    return Math.min((this.width - 48) / (right - left), height / (bottom - top), 1.5);
  }

  resize(width, height) {
    const middle = this.inNetwork(this.width / 2, this.height / 2);
    this.width = width;
    this.height = height;
    this.x = width / 2 - middle[0] * this.zoom;
    this.y = height / 2 - middle[1] * this.zoom;
    this.keepInSight();
  }

  onScreen(x, y) {
    return [x * this.zoom + this.x, y * this.zoom + this.y];
  }

  inNetwork(x, y) {
    return [(x - this.x) / this.zoom, (y - this.y) / this.zoom];
  }

  /** Whether this is still the view that `fit` gives, so that it may follow the size of the window. */
  get fits() {
    return this.fitted === `${this.zoom} ${this.x} ${this.y}`;
  }

  fit() {
    const { left, right, top, bottom } = this.bounds;
    this.stop();
    this.zoom = this.fitting;
    this.x = this.width / 2 - ((left + right) / 2) * this.zoom;
    this.y = (this.height + this.covered.top - this.covered.bottom) / 2 - ((top + bottom) / 2) * this.zoom;
    this.fitted = `${this.zoom} ${this.x} ${this.y}`;
    this.changed();
  }

  pan(dx, dy) {
    this.stop();
    this.x += dx;
    this.y += dy;
    this.keepInSight();
    this.changed();
  }

  /** Zoom so that the point of the network at (x, y) of the screen stays there. */
  zoomAt(x, y, factor) {
    this.stop();
    const zoom = Math.min(Math.max(this.zoom * factor, Math.min(this.fitting * 0.6, 1)), MOST_ZOOM);
    const [inX, inY] = this.inNetwork(x, y);
    this.zoom = zoom;
    this.x = x - inX * zoom;
    this.y = y - inY * zoom;
    this.keepInSight();
    this.changed();
  }

  /** Bring a point of the network to the middle, in a short flight where motion is welcome. */
  centre(x, y, zoom) {
    const start = { zoom: this.zoom, middle: this.inNetwork(this.width / 2, this.height / 2) };
    const place = (share) => {
      this.zoom = start.zoom * (zoom / start.zoom) ** share;
      this.x = this.width / 2 - (start.middle[0] + (x - start.middle[0]) * share) * this.zoom;
      this.y = this.height / 2 - (start.middle[1] + (y - start.middle[1]) * share) * this.zoom;
      this.changed();
    };
    this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return place(1);
    const began = performance.now();
    const fly = (now) => {
      const time = Math.min(Math.max((now - began) / 350, 0), 1);
      place(1 - (1 - time) ** 3);
      this.flight = time < 1 ? requestAnimationFrame(fly) : 0;
    };
    this.flight = requestAnimationFrame(fly);
  }

  stop() {
    cancelAnimationFrame(this.flight);
    this.flight = 0;
  }

  /** A corner of the network always stays on the screen. */
  keepInSight() {
    const { left, right, top, bottom } = this.bounds;
    const margin = 80;
    this.x = Math.min(Math.max(this.x, margin - right * this.zoom), this.width - margin - left * this.zoom);
    this.y = Math.min(Math.max(this.y, margin - bottom * this.zoom), this.height - margin - top * this.zoom);
  }
}

/** Let pointers and the wheel move a camera; tell where one points (null: nowhere) and clicks. */
function steerByPointer(canvas, camera, { pointed, clicked }) {
  const down = new Map();
  let travelled = 0;
  const place = (event) => {
    const frame = canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    travelled = down.size > 1 ? Infinity : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = down.get(event.pointerId);
    if (!before) return pointed(now);
    const others = [...down].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    down.set(event.pointerId, now);
    if (others.length === 0) {
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (travelled < 4) return;
      canvas.classList.add("dragging");
      pointed(null);
      camera.pan(now[0] - before[0], now[1] - before[1]);
    } else {
      const [x, y] = others[0];
      const spread = Math.hypot(before[0] - x, before[1] - y) || 1;
      camera.zoomAt(x, y, Math.hypot(now[0] - x, now[1] - y) / spread);
    }
  });
  const lift = (event) => {
    if (!down.delete(event.pointerId) || down.size > 0) return;
    canvas.classList.remove("dragging");
    if (event.type === "pointerup" && travelled < 4) clicked(place(event));
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => pointed(null));
  let scrolled = -Infinity;
  window.addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });
  canvas.addEventListener(
    "wheel",
    (event) => {
      // Whoever scrolls the page, and comes upon the network on the way, keeps scrolling.
      if (!event.ctrlKey && performance.now() - scrolled < SCROLLING) return;
      event.preventDefault();
      // Lines and pages of a wheel as pixels; a pinch on a touchpad comes as a wheel with ctrl.
      const pixels = event.deltaY * [1, 16, 400][event.deltaMode] * (event.ctrlKey ? 4 : 1);
      camera.zoomAt(...place(event), Math.exp(-Math.min(Math.max(pixels, -400), 400) / 400));
    },
    { passive: false },
  );
}

/** Arrows move, plus and minus zoom, 0 and f fit. */
function steerByKeys(canvas, camera) {
  const zoomBy = (factor) => camera.zoomAt(camera.width / 2, camera.height / 2, factor);
  const moves = {
    ArrowLeft: () => camera.pan(60, 0),
    ArrowRight: () => camera.pan(-60, 0),
    ArrowUp: () => camera.pan(0, 60),
    ArrowDown: () => camera.pan(0, -60),
    "+": () => zoomBy(1.3),
    "=": () => zoomBy(1.3),
    "-": () => zoomBy(1 / 1.3),
    0: () => camera.fit(),
    f: () => camera.fit(),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key.startsWith("Arrow"))) return;
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  });
}
