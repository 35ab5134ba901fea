/** What a phone sends when diagnostics are asked for; device and values are invented. */
export const diagnostics = {
  bundle_version: 1,
  app: { name: 'recorder', version: '4.12.0', build: 4120 },
  device: {
    manufacturer: 'Example',
    model: 'EX-20',
    os: 'Android 15',
    free_bytes: 18_253_611_008,
    battery_percent: 71,
  },
  queue: {
    waiting: 3,
    sealed: 3,
    announced: 1,
    oldest_recorded_at: 1_794_471_910,
    last_upload_at: 1_794_475_102,
  },
  permissions: { microphone: true, phone: true, sms: true, location: 'while_in_use', notifications: true },
  network: { type: 'lte', roaming: false, carrier_name: 'Example Mobile' },
  log: [
    [1_794_475_010, 'info', 'upload started', { payload_type: 'Call', size: 61_220 }],
    [1_794_475_031, 'warn', 'connection lost, retry in 30 s', { attempt: 1 }],
    [1_794_475_063, 'info', 'upload resumed', { attempt: 2 }],
    [1_794_475_102, 'info', 'upload accepted', { state: 'Uploaded' }],
    [1_794_475_140, 'info', 'local copy freed', { state: 'Processed' }],
  ],
}
