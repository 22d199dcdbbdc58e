// What JSON cannot say in a host's messages (bytes, addresses, dates) as text, without touching the host's objects.

/** The message itself where JSON can say it, else a copy that says the same. */
export function plain<M extends object>(message: M): M {
  return said(message, 0) as M;
}

/** Deeper values are left to the engine, which refuses them. */
const MAX_DEPTH = 130;

function said(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return base64(value);
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = said(value[i], depth + 1);
      if (item !== value[i]) (copy ??= value.slice())[i] = item;
    }
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const before = (value as Record<string, unknown>)[key];
    const item = said(before, depth + 1);
    if (item === before) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

const CHUNK = 0x8000;
/** Texts of bytes, so that an image is encoded once and not at every call. */
const encoded = new WeakMap<object, string>();

function base64(value: ArrayBuffer | ArrayBufferView): string {
  const known = encoded.get(value);
  if (known !== undefined) return known;
  const text = encode(value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  encoded.set(value, text);
  return text;
}

function encode(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += CHUNK) binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  return btoa(binary);
}
