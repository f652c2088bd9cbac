// Data points: the rows of a data file, drawn under the formulas.

const NEAR = 0.2; // of a range: how far a row may be from where the other variables are held

/** The outputs to show: those of the formulas, and of the data if they are of about that size. */
export function outputRange({ picture: { low, high }, data }) {
  if (!data) return [low, high];
  const margin = 0.04 * (data.range[1] - data.range[0]);
  const [least, most] = [Math.min(low, data.range[0] - margin), Math.max(high, data.range[1] + margin)];
  return most - least > 50 * (high - low) && high > low ? [low, high] : [least, most];
}

/** A dot for each row, paler the farther it is from the values that other variables are held at. */
export function drawData(context, { data, axis, held, ranges }, { toX, toY }, theme) {
  const across = data.columns[axis];
  if (!across) return;
  const others = Object.entries(held).filter(([name]) => data.columns[name] && ranges[name][1] > ranges[name][0]);
  const radius = across.length > 1000 ? 1.6 : 2.4;
  context.fillStyle = theme.soft;
  for (let row = 0; row < across.length; row++) {
    let away = 0;
    for (const [name, value] of others) away += ((data.columns[name][row] - value) / (NEAR * (ranges[name][1] - ranges[name][0]))) ** 2;
    context.globalAlpha = 0.12 + 0.58 * Math.exp(-away / 2);
    context.beginPath();
    context.arc(toX(across[row]), toY(data.outputs[row]), radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}
