import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { modelName } from './model-name.ts'

describe('the model name', () => {
  it('names the manufacturer once', () => {
    assert.equal(modelName({ manufacturer: 'Google', model: 'Pixel 10' }), 'Google Pixel 10')
    assert.equal(modelName({ manufacturer: 'google', model: 'Google Pixel 10' }), 'Google Pixel 10')
    assert.equal(modelName({ manufacturer: 'Fairphone', model: 'Fairphone' }), 'Fairphone')
    assert.equal(modelName({ manufacturer: 'One', model: 'OnePlus 13' }), 'One OnePlus 13')
    assert.equal(modelName({ model: 'Pixel 10' }), 'Pixel 10')
  })
})
