/** Folder of the file routes; shared by the Vite plugin and `npm run routes`. */
export const routesConfig = {
  target: 'react',
  autoCodeSplitting: true,
  // Loaders are bundled with their screen, which keeps them out of the first load.
  codeSplittingOptions: {
    defaultBehavior: [['loader', 'component', 'pendingComponent', 'errorComponent', 'notFoundComponent']],
  },
  routesDirectory: 'src/routes',
  generatedRouteTree: 'src/routeTree.gen.ts',
  quoteStyle: 'single',
  semicolons: false,
} as const
