import { basename } from 'node:path'
import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Plugin } from 'vite'
import { cssVariablesResolver, theme } from '../src/theme/theme.ts'

/**
 * Writes the theme's variables into the style sheet, and leaves the library's code for them out of the scripts. Also
 * leaves out its transitions where only a button's loader has one.
 */
export function themeStyles(): Plugin {
  return {
    name: 'custodia:theme-styles',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/theme\/base\.css$/ },
      handler: (code) => `${getStyles()}\n${code}`,
    },
    resolveId: {
      filter: { id: /\/Transition\/Transition\.mjs$/ },
      handler: (_, importer = '') =>
        /\/(?:Button|ActionIcon)\.mjs$/.test(importer) ? `\0theme/Transition.mjs` : undefined,
    },
    load: {
      filter: { id: /\/(?:MantineCssVariables|MantineClasses)\.mjs$|^\0theme\/Transition\.mjs$/ },
      handler: (id) => {
        const name = basename(id, '.mjs')
        const what = name === 'Transition' ? 'mounted ? children({}) : null' : 'null'
        return `export const ${name} = ({ mounted, children }) => ${what}`
      },
    },
  }
}

/** Style elements that the library's provider renders. Throws when it renders another form. */
function getStyles(): string {
  const markup = renderToStaticMarkup(createElement(MantineProvider, { theme, cssVariablesResolver }))
  const styles = [...markup.matchAll(/<style data-mantine-styles="\w+">(.*?)<\/style>/gs)]
  if (styles.length !== 2) throw new Error('the provider of the component library renders other styles')
  return styles.map(([, css]) => css).join('\n')
}
