/** Where the file routes live; shared by the Vite plugin and by `npm run routes`. */
export const routesConfig = {
  target: 'react',
  autoCodeSplitting: true,
  // Loaders travel with their screen: what they read stays out of the first load.
  codeSplittingOptions: {
    defaultBehavior: [['loader', 'component', 'pendingComponent', 'errorComponent', 'notFoundComponent']],
  },
  routesDirectory: 'src/routes',
  generatedRouteTree: 'src/routeTree.gen.ts',
  quoteStyle: 'single',
  semicolons: false,
} as const
