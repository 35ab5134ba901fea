/** That a device has a number from a time on, which goes on. */
export interface NumberClaim {
  claim_id: number
  device_id: number
  phone_number: string
  /** Epoch seconds, as all times here. */
  from_at: number
  /** Another device has the number: this one only says that it has it, or has not said otherwise since. */
  is_contested: boolean
  /** When the device said so last; null: it never did itself. */
  last_reported: number | null
  /** A text came from the number lately, and the device is still one that counts: that another device says it is no reason to believe it. */
  is_proved: boolean
}

export interface NewClaim {
  device_id: number
  phone_number: string
  slot_index: number
  is_contested: boolean
  /** Whether the device says so now; else it merely has not said otherwise. */
  is_reported: boolean
}

/** What becomes of the claims when a device says which numbers it has. */
export interface CustodyChange {
  end: NumberClaim[]
  begin: NewClaim[]
  repeat: { claim: NumberClaim; slot_index: number }[]
  /** Numbers of which it is new that two devices say them. */
  contested: string[]
}

export interface NumberReport {
  device_id: number
  /** The device waits for confirmation of its holder: its reports take no number from another device. */
  is_waiting: boolean
  /** The numbers that it says, in the order of its slots. */
  reported: readonly string[]
  /** Claims that go on: all of this device, and of others those on these numbers. */
  open: readonly NumberClaim[]
}

/**
 * What a report changes. A number belongs to one device at a time: to the one that proved it, else to the last one
 * that started to report it. Repeating a number that moved on does not reclaim it; both claims remain until one ends.
 */
export function reportedNumbers({ device_id, is_waiting, reported, open }: NumberReport): CustodyChange {
  const change: CustodyChange = { end: [], begin: [], repeat: [], contested: [] }
  for (const [slot_index, phone_number] of reported.entries()) {
    const own = open.find((claim) => claim.device_id === device_id && claim.phone_number === phone_number)
    const other = getCustodian(open, phone_number, device_id)
    const claim = { device_id, phone_number, slot_index, is_reported: true }
    const isFree = !other || (own !== undefined && !is_waiting && isSilentSince(other, own.from_at))
    if (own && (!own.is_contested || !isFree)) {
      change.repeat.push({ claim: own, slot_index })
      if (own.is_contested && own.last_reported === null) change.contested.push(phone_number)
    } else if (!isFree && (is_waiting || other?.is_proved)) {
      change.begin.push({ ...claim, is_contested: true })
      change.contested.push(phone_number)
    } else {
      if (own) change.end.push(own)
      if (other) moveOn(change, other)
      change.begin.push({ ...claim, is_contested: false })
    }
  }
  const silent = open.filter(
    (claim) => claim.device_id === device_id && !reported.includes(claim.phone_number),
  )
  // What was only ever proved by texts cannot be missed by a device that does not know its own number.
  change.end.push(...silent.filter((claim) => claim.is_contested || claim.last_reported !== null))
  return change
}

/**
 * What changes when a text message came from a device's number: that device has the number, whatever other devices
 * report.
 */
export function provedNumber({
  device_id,
  phone_number,
  open,
}: {
  device_id: number
  phone_number: string
  open: readonly NumberClaim[]
}): Pick<CustodyChange, 'end' | 'begin'> {
  const change = { end: [], begin: [] } as Pick<CustodyChange, 'end' | 'begin'>
  const own = open.find((claim) => claim.device_id === device_id && claim.phone_number === phone_number)
  if (own && !own.is_contested) return change
  if (own) change.end.push(own)
  const other = getCustodian(open, phone_number, device_id)
  if (other) moveOn(change, other)
  const is_reported = own !== undefined && own.last_reported !== null
  change.begin.push({ device_id, phone_number, slot_index: 0, is_contested: false, is_reported })
  return change
}

/** It once proved the number, and has not said it since the other device did. */
const isSilentSince = ({ is_proved, last_reported }: NumberClaim, at: number): boolean =>
  !is_proved && (last_reported === null || last_reported < at)

const getCustodian = (open: readonly NumberClaim[], phone_number: string, device_id: number) =>
  open.find(
    (claim) => claim.phone_number === phone_number && claim.device_id !== device_id && !claim.is_contested,
  )

/** The number is with another device; this one has not said otherwise yet. */
function moveOn(change: Pick<CustodyChange, 'end' | 'begin'>, claim: NumberClaim): void {
  const { device_id, phone_number } = claim
  change.end.push(claim)
  change.begin.push({ device_id, phone_number, slot_index: 0, is_contested: true, is_reported: false })
}
