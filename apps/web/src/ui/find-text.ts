/** A text as it is compared: small letters without accents, so that `funcoes` finds `Funções`. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether `text` has `sought` in it, whatever the case and the accents. */
export const includesText = (text: string, search: string): boolean =>
  foldText(text).includes(foldText(search.trim()))
