import type { LocationRewrite } from '@tanstack/react-router'
import { localePrefix } from '../i18n/i18n.ts'
import { splitLocale } from '../i18n/locale.ts'

/** Routes are written once, without language; addresses keep the prefix they came with. */
export const localeRewrite: LocationRewrite = {
  input: ({ url }) => {
    url.pathname = splitLocale(url.pathname).path
    return url
  },
  output: ({ url }) => {
    const prefix = localePrefix()
    if (prefix !== undefined) url.pathname = url.pathname === '/' ? `/${prefix}` : `/${prefix}${url.pathname}`
    return url
  },
}
