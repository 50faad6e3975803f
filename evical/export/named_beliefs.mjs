export function namedBeliefs(score) {
  const found = beliefs(score);
  if (found === null) return null;
  const [bel, pl, betp, ...ends] = found;
  const others = [pl, bel, betp, ...ends.slice().reverse()].map((value) => 1 - value);
  const values = [...others, ...found];
  return Object.fromEntries(COLUMNS.map((name, place) => [name, values[place]]));
}
