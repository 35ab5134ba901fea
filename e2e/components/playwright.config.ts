import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

/** Tests of components share nothing, so that their order does not matter. */
export default defineConfig({ ...journeys, testDir: '.', timeout: 60_000, fullyParallel: true })
