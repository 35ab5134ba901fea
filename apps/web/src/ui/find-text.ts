/** Normalises a text for comparison: lower case without accents, so that `funcoes` finds `Funções`. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether `text` contains the search text, ignoring case and accents. */
export const includesText = (text: string, search: string): boolean =>
  foldText(text).includes(foldText(search.trim()))
