/**
 * Country calling codes of one and two digits (ITU-T E.164) and their regions (ISO 3166-1 alpha-2). Those that several countries share
 * stand for the largest, +1 for its whole continent (UN M.49). Codes of three digits are absent: the specification ends at 99.
 */
export const CALLING_CODES: Readonly<Record<number, string>> = {
  1: '003',
  7: 'RU',
  20: 'EG',
  27: 'ZA',
  30: 'GR',
  31: 'NL',
  32: 'BE',
  33: 'FR',
  34: 'ES',
  36: 'HU',
  39: 'IT',
  40: 'RO',
  41: 'CH',
  43: 'AT',
  44: 'GB',
  45: 'DK',
  46: 'SE',
  47: 'NO',
  48: 'PL',
  49: 'DE',
  51: 'PE',
  52: 'MX',
  53: 'CU',
  54: 'AR',
  55: 'BR',
  56: 'CL',
  57: 'CO',
  58: 'VE',
  60: 'MY',
  61: 'AU',
  62: 'ID',
  63: 'PH',
  64: 'NZ',
  65: 'SG',
  66: 'TH',
  81: 'JP',
  82: 'KR',
  84: 'VN',
  86: 'CN',
  90: 'TR',
  91: 'IN',
  92: 'PK',
  93: 'AF',
  94: 'LK',
  95: 'MM',
  98: 'IR',
}

/** Name of the country of a calling code in a language; the code itself for one that is none. */
export function countryName(country_code: number, locale: string): string {
  const region = CALLING_CODES[country_code]
  const name = region && new Intl.DisplayNames(locale, { type: 'region' }).of(region)
  return name ?? `+${country_code}`
}
