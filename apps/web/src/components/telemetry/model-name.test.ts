import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { modelName } from './model-name.ts'

describe('the name of a model', () => {
  it('says its maker once', () => {
    assert.equal(modelName({ manufacturer: 'Google', model: 'Pixel 10' }), 'Google Pixel 10')
    assert.equal(modelName({ manufacturer: 'google', model: 'Google Pixel 10' }), 'Google Pixel 10')
    assert.equal(modelName({ manufacturer: 'Fairphone', model: 'Fairphone' }), 'Fairphone')
    assert.equal(modelName({ manufacturer: 'One', model: 'OnePlus 13' }), 'One OnePlus 13')
    assert.equal(modelName({ model: 'Pixel 10' }), 'Pixel 10')
  })
})
