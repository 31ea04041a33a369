/* istanbul ignore file -- @preserve */
export const nothing = (x: number) => {
  if (x) return 1;
  return 2;
};
