import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

/// Clocks of one time, with a pause after some of the readings.
private final class PausingClock: Sendable {
  private struct State {
    var milliseconds: Int64 = 5_000_000_000_000
    var readings = 0
    var pauses: Set<Int> = []
    var length: Int64 = 0
  }

  private let state = Lock(State())

  var source: TimeSource {
    TimeSource(
      now: { Timestamp(milliseconds: self.read()) },
      session: { SessionTime(milliseconds: self.read()) })
  }

  /// Pauses after some of the readings from now on, counted from 0.
  func pause(after readings: Set<Int>, for milliseconds: Int64) {
    state.withLock { state in
      state.readings = 0
      state.pauses = readings
      state.length = milliseconds
    }
  }

  private func read() -> Int64 {
    state.withLock { state in
      defer {
        if state.pauses.contains(state.readings) { state.milliseconds += state.length }
        state.readings += 1
      }
      return state.milliseconds
    }
  }
}

@Suite("the session: a pause between its clocks")
struct PauseTests {
  @Test(
    "does not shift what an item is kept for, wherever it falls",
    arguments: 0..<6, [Int64(1001), 3600_000])
  func once(_ reading: Int, _ length: Int64) throws {
    let clock = PausingClock()
    let session = SessionStore(time: clock.source)
    let end = Timestamp(milliseconds: 5_000_100_000_000)
    var given = try item()
    given.keptUntil = end
    clock.pause(after: [reading], for: length)
    let added = try session.add(given)
    #expect(try session.find(ItemQuery(), withSecrets: false).map(\.keptUntil) == [end])
    clock.pause(after: [reading], for: length)
    #expect(try session.find(ItemQuery(), withSecrets: false).map(\.keptUntil) == [end])
    let changed = try session.modify(added.id, hint: added.key, [.comment("a")])
    #expect(changed.keptUntil == end && changed.secretChanged == added.secretChanged)
  }

  @Test(
    "and neither does a millisecond of rounding, at the last of all times",
    arguments: [0, 1, 2, 3, 4, 5] as [Int],
    [Timestamp(milliseconds: .max), .init(milliseconds: .max - 1)])
  func rounding(_ reading: Int, _ end: Timestamp) throws {
    let clock = PausingClock()
    let session = SessionStore(time: clock.source)
    var given = try item()
    given.keptUntil = end
    clock.pause(after: [reading], for: 1)
    _ = try session.add(given)
    for later in 0..<6 {
      clock.pause(after: [later], for: 1)
      #expect(try session.find(ItemQuery(), withSecrets: false).map(\.keptUntil) == [end])
    }
  }

  @Test("several in a row are noticed, too, and a machine that always pauses ends nothing")
  func often() throws {
    let clock = PausingClock()
    let session = SessionStore(time: clock.source)
    let end = Timestamp(milliseconds: 5_000_100_000_000)
    var given = try item()
    given.keptUntil = end
    clock.pause(after: [0, 3, 7, 10, 12, 16], for: 2000)
    _ = try session.add(given)
    clock.pause(after: [], for: 0)
    #expect(try session.find(ItemQuery(), withSecrets: false).map(\.keptUntil) == [end])
    clock.pause(after: Set(0..<1000), for: 2000)
    #expect(try session.find(ItemQuery(), withSecrets: true).first?.secret != nil)
  }
}
