/**
 * Common words of English and Portuguese, folded. They are not indexed: they find nothing useful, and their frequency
 * would reveal language and length of a text. Part of what `WORD_RULES` counts.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `the and of to in is it you that he was for on are with as his they be at this have from or had by but not what all were we when your can
  said there an which she do how their if will me my so no yes ok just im dont its our them then than been has would us
  o os as um uma uns umas de do da dos das em no na nos nas ao aos pelo pela por para com sem que se e ou mas eu voce ele ela eles elas
  nao sim ja foi ser ter tem ta esta isso isto este esse essa meu minha seu sua me te lhe mais muito so ate como quando qual quem
  la aqui vou vai`.match(/\S+/g),
)
