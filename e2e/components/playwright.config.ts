import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

/** Component tests share nothing, so that they can run in any order. Other tests run at the same time. */
export default defineConfig({ ...journeys, testDir: '.', workers: 3, timeout: 120_000, fullyParallel: true })
