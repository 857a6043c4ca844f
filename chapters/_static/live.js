// Runs the library's compiled functions (marginloss.companion.live): typed arrays in, what they wrote into them out.
// A figure is a function of its element, its kernels and its data; it registers itself as live.figures[name].
const live = (function () {
  "use strict";
  const KINDS = { f64: Float64Array, i64: BigInt64Array, i32: Int32Array, i8: Int8Array, u8: Uint8Array };
  const PAGE = 65536;
  const decode = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const fill = (array, ...shape) => Object.assign(array, { shape });

  // Numbers are passed as they are, an array as numba passes it: owner, parent, items, bytes of one, address, shape, strides.
  async function open({ module, memory: start, kernels }) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(start / PAGE) + 4 });
    let top = start;
    const room = size => {
      const at = Math.ceil(top / 64) * 64;
      top = at + size;
      if (top > memory.buffer.byteLength) memory.grow(Math.ceil((top - memory.buffer.byteLength) / PAGE));
      return at;
    };
    const env = {
      __linear_memory: memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, start),
      NRT_MemInfo_alloc_aligned(size) {
        const at = room(64 + Number(size)), view = new DataView(memory.buffer);
        view.setBigInt64(at, 1n, true);
        view.setUint32(at + 16, at + 64, true);
        return at;
      },
    };
    const unpacked = new Blob([decode(module)]).stream().pipeThrough(new DecompressionStream("deflate"));
    const code = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
    WebAssembly.Module.imports(code).filter(i => i.kind === "table").forEach(i => { env[i.name] = new WebAssembly.Table({ initial: 64, element: "anyfunc" }); });
    const { exports } = await WebAssembly.instantiate(code, { env });

    const callable = ([name, { takes, gives }]) => [name, (...given) => {
      top = start;  // what the last call left is given back
      const back = [];
      const words = takes.flatMap((type, k) => {
        const value = given[k];
        if (type === "i64") return [BigInt(value)];
        if (!Array.isArray(type)) return [+value];
        const shape = value.shape || [value.length], width = value.BYTES_PER_ELEMENT;
        if (!(value instanceof KINDS[type[1]]) || shape.length !== type[2]) throw new TypeError(`${name}, argument ${k}: ${type}`);
        const at = room(value.byteLength), strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, width));
        back.push([value, at]);
        return [0, 0, BigInt(value.length), BigInt(width), at, ...shape.map(BigInt), ...strides.map(BigInt)];
      });
      const out = room(16);
      back.forEach(([value, at]) => new value.constructor(memory.buffer, at, value.length).set(value));
      if (exports[name](out, out + 8, ...words)) throw new Error(`${name} failed`);
      back.forEach(([value, at]) => value.set(new value.constructor(memory.buffer, at, value.length)));
      const result = new DataView(memory.buffer);
      return gives === "none" ? undefined : gives === "f64" ? result.getFloat64(out, true) : Number(result.getBigInt64(out, true));
    }];
    return Object.fromEntries(Object.entries(kernels).map(callable));
  }

  async function mount(root) {
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const cannot = typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined";
    const missing = root.querySelector(".live-missing");
    try {
      if (!data.kernels) throw new Error(`This copy of the book was made without its kernels: ${data.missing}.`);
      if (cannot) throw new Error("This browser has no WebAssembly, with which this figure would compute.");
      const kernels = await open(data.kernels);
      root.querySelector(".still").hidden = missing.hidden = true;
      root.kernels = kernels;
      root.api = live.figures[root.dataset.live](root, kernels, data);
      root.dataset.state = "live";
    } catch (reason) {
      missing.textContent = `${reason.message} The picture shows one setting.`;
      root.querySelector(".still").hidden = missing.hidden = false;
      root.dataset.state = "still";
      if (data.kernels && !cannot) throw reason;
    }
  }
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".live").forEach(mount));
  return { open, decode, fill, figures: {} };
})();
