import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  parseThemeColor,
  type VariantColorsResolver,
} from '@mantine/core'
import type { KeyboardEvent } from 'react'

/** The library's contrast fails WCAG AA in light and outline variants: text uses the darkest shade on light and a pale one on dark. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  const { isThemeColor, color } = parseThemeColor({
    color: input.color ?? input.theme.primaryColor,
    theme: input.theme,
  })
  if (!isThemeColor) return colors
  const shade = (light: number, dark: number) =>
    `light-dark(var(--mantine-color-${color}-${light}), var(--mantine-color-${color}-${dark}))`
  // Yellow, orange and teal are too pale even in shade 9.
  const text = `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 25%), var(--mantine-color-${color}-2))`
  if (input.variant === 'light') return { ...colors, color: text }
  if (input.variant === 'subtle' || input.variant === 'transparent') return { ...colors, color: text }
  if (input.variant === 'outline')
    return { ...colors, color: shade(8, 3), border: `1px solid ${shade(8, 3)}` }
  return colors
}

/** The library's placeholder and dimmed texts fail AA. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-anchor': 'var(--mantine-color-blue-8)',
    '--custodia-canvas': '#f6f8fb',
    '--custodia-line': 'var(--mantine-color-gray-3)',
  },
  dark: {
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-body': '#161b22',
    '--mantine-color-anchor': 'var(--mantine-color-blue-3)',
    '--custodia-canvas': '#0f1319',
    '--custodia-line': '#2b333f',
  },
})

const sizes = { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' }

/** Enter in a picker chooses the only option that its search leaves. */
export function chooseOnlyMatch(event: KeyboardEvent<HTMLInputElement>): void {
  const { ariaExpanded } = event.currentTarget
  if (event.key !== 'Enter' || ariaExpanded !== 'true') return
  const list = document.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '')
  const [option, ...others] = list?.querySelectorAll<HTMLElement>('[data-combobox-option]') ?? []
  // A second Enter must not take the choice back.
  if (option === undefined || others.length > 0 || option.ariaSelected === 'true') return
  event.preventDefault()
  option.click()
}

/** Blue primary in shade 8 for both modes, grey neutral, 14 px base on an 8 px grid. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  variantColorResolver,
  cursorType: 'pointer',
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily:
    "'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', Menlo, monospace",
  fontSizes: sizes,
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  // Cooler neutral greys of the dark mode: panels look slate, not brown.
  colors: {
    dark: [
      '#d5dce6',
      '#b3bdcb',
      '#8d99aa',
      '#5c6878',
      '#3a4451',
      '#2b333f',
      '#1d242d',
      '#161b22',
      '#10151b',
      '#0b0f14',
    ],
  },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '1.25' },
      h2: { fontSize: '18px', lineHeight: '1.35' },
      h3: { fontSize: '15px', lineHeight: '1.4' },
      h4: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  components: {
    // State names keep the specification's case.
    Badge: { defaultProps: { tt: 'none', fw: 600, variant: 'light' } },
    // Focus by Tab or by an error must not open the list over the error text; a click or key opens it.
    Autocomplete: { defaultProps: { openOnFocus: false } },
    // Dropdowns are in their field's landmark, not at the end of the page. A card or a small dialog would cut them off:
    // its fields say `withinPortal`.
    Combobox: { defaultProps: { withinPortal: false } },
    MultiSelect: { defaultProps: { openOnFocus: false, onKeyDown: chooseOnlyMatch } },
    Select: { defaultProps: { openOnFocus: false, onKeyDown: chooseOnlyMatch } },
    TagsInput: { defaultProps: { openOnFocus: false } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
    Button: { defaultProps: { fw: 600 } },
    Modal: { styles: { title: { fontSize: 18, fontWeight: 650, lineHeight: 1.3 } } },
    Drawer: { styles: { title: { fontSize: 18, fontWeight: 650, lineHeight: 1.3 } } },
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    Paper: { defaultProps: { withBorder: true } },
    // As Paper: the library draws cards lighter in dark mode.
    Card: {
      defaultProps: { withBorder: true, padding: 'md' },
      styles: { root: { backgroundColor: 'var(--mantine-color-body)' } },
    },
  },
})

/** The inline script of index.html reads the same key before the first paint. */
export const colourModeStore = localStorageColorSchemeManager({ key: 'custodia.colour_mode' })
