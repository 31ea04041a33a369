interface Word {
  text: string;
  count?: number;
}

/** Types have no lines of their own. */
export function plural(word: Word): string {
  const n = word.count ?? 1;
  if (n === 1) return word.text;
  return word.text.endsWith("s")
    ? `${word.text}es`
    : `${word.text}s`;
}

export enum Case {
  Upper,
  Lower,
}

export function cased(text: string, as: Case): string {
  if (as === Case.Upper) {
    return text.toUpperCase();
  }
  return text.toLowerCase();
}
