export function beliefs(score) {
  if (typeof score !== "number" || !(score >= LOW && score <= HIGH)) return null;
  let first = 0, last = STARTS.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (score < STARTS[middle]) last = middle; else first = middle + 1;
  }
  const [columns, center = 0, factor = 1] = PIECES[first];
  const t = (score - center) * factor;
  return columns.map((column) => column.reduceRight((value, next) => value * t + next, 0));
}
