// Comments leave pieces out of coverage: those of istanbul, v8, c8 and node:coverage are the same to both providers.
export enum Colour {
  Red = 1,
  Green,
  Blue = "blue",
}

/* istanbul ignore next -- @preserve */
export function nobody(x: number) {
  if (x > 1) return 2;
  return 1;
}

export function choose(x: number, y = 2, /* istanbul ignore next -- @preserve */ z = 3) {
  /* istanbul ignore if -- @preserve */
  if (x > 10) {
    x = 10;
  }
  /* istanbul ignore else -- @preserve */
  if (x > 0) {
    y += x;
  } else {
    y = 0;
  }
  const sign = x > 0 ? 1 : /* istanbul ignore next -- @preserve */ -1;
  const some = y || /* istanbul ignore next -- @preserve */ z || 4;
  switch (x) {
    case 1:
      return sign;
    /* istanbul ignore next -- @preserve */
    case 2:
      return some;
    default:
      return 0;
  }
}

/* istanbul ignore start -- @preserve */
export const debug = (x: unknown) => {
  return JSON.stringify(x);
};
/* istanbul ignore stop -- @preserve */

export class Box {
  /* istanbul ignore next -- @preserve */
  static empty() {
    return new Box(0);
  }
  constructor(private of: number) {}
  get value() {
    return this.of + 1;
  }
}
