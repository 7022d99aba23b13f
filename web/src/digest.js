// The digest of numbers (FNV-1a of their bits, as carom_digest does): the same wherever the bits are the same.

/** @param {number[]} numbers @returns {string} */
export function digestOf(numbers) {
  const bytes = new Uint8Array(Float64Array.from(numbers, (v) => (Number.isNaN(v) ? NaN : v)).buffer);
  let hash = 14695981039346656037n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
  return hash.toString(16).padStart(16, "0");
}
