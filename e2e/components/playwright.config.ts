import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

/** Component tests share nothing, so that they can run in any order. */
export default defineConfig({ ...journeys, testDir: '.', timeout: 120_000, fullyParallel: true })
