/** Where the file routes live; shared by the Vite plugin and by `npm run routes`. */
export const routesConfig = {
  target: 'react',
  autoCodeSplitting: true,
  routesDirectory: 'src/routes',
  generatedRouteTree: 'src/routeTree.gen.ts',
  quoteStyle: 'single',
  semicolons: false,
} as const
