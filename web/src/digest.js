// The digest of numbers (FNV-1a of their bits, as carom_digest does): the same wherever the bits are the same.

/** @param {number[]} numbers @returns {string} */
export function digestOf(numbers) {
  const bytes = new Uint8Array(Float64Array.from(numbers, (v) => (Number.isNaN(v) ? NaN : v)).buffer);
  let hash = 14695981039346656037n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
  return hash.toString(16).padStart(16, "0");
}

/** The first digits of what sha256sum says of a text; "" where the browser keeps that to itself (pages of unsafe servers). @param {string} text */
export async function fingerprintOf(text) {
  if (!globalThis.crypto?.subtle) return "";
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
