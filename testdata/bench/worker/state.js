// What the handler and its objects count together: they run in one isolate.
export const state = { fired: 0, kept: 0, objects: 0, delivered: 0 };
