import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

/** Components alone: as the journeys, but quick. */
export default defineConfig({ ...journeys, testDir: '.', timeout: 30_000 })
