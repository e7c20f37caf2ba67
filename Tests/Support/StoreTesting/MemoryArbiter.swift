import SecureMemory
package import VaultStore
package import VaultModel

/// A server in memory, which a test can copy and make lie.
package final class MemoryArbiter: Arbiter {
  package struct Key: Hashable {
    package let table: RowDelta.Table
    package let id: UInt64

    package init(table: RowDelta.Table, id: UInt64) {
      (self.table, self.id) = (table, id)
    }
  }

  package struct State {
    package var generation: UInt64 = 0
    package var ident: [UInt8] = []
    package var head: [UInt8] = []
    package var rows: [Key: (sealed: [UInt8]?, generation: UInt64)] = [:]
    /// The number of commits that were sent.
    package var commitCount = 0
    /// The rows of the last one.
    package var lastRows: [RowDelta.Entry] = []
    /// The fault of the next commit.
    package var fault: Fault?

    package init() {}
  }

  package enum Fault: CaseIterable {
    /// It is not stored, and the server says so.
    case refused
    /// The connection is lost before it is stored.
    case lost
    /// The connection is lost after it was stored.
    case unanswered
  }

  private let state: Lock<State>

  package init(_ state: State = State()) { self.state = Lock(state) }

  /// Returns a server that goes on from here by itself.
  package func copied() -> MemoryArbiter { MemoryArbiter(now) }

  package var now: State { state.withLock { $0 } }

  /// Changes what the server has.
  package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  package func rows(after generation: UInt64) -> RowDelta {
    let now = now
    let rows = now.rows.filter { $0.value.generation > generation }
      .map { RowDelta.Entry($0.key.table, $0.key.id, $0.value.sealed) }
    return RowDelta(generation: now.generation, ident: now.ident, head: now.head, rows: rows)
  }

  package func begin(after generation: UInt64) -> RowDelta { rows(after: generation) }

  package func abandon() {}

  package func commit(_ delta: RowDelta) throws(VaultError) {
    let fault = state.withLock { state in
      defer { state.fault = nil }
      return state.fault
    }
    if fault == .refused { throw VaultError(.busy, "the server refuses") }
    if fault != .lost { store(delta) }
    if fault != nil { throw VaultError(.outcomeUnknown, "the connection was lost") }
  }

  private func store(_ delta: RowDelta) {
    state.withLock { state in
      (state.generation, state.ident, state.head) = (delta.generation, delta.ident, delta.head)
      for row in delta.rows {
        state.rows[Key(table: row.table, id: row.id)] = (row.sealed, delta.generation)
      }
      state.commitCount += 1
      state.lastRows = delta.rows
    }
  }

  package func publish(_ vault: RowDelta) throws(VaultError) {
    guard now.generation == 0 else { throw VaultError(.vaultExists, "the server has the vault") }
    try commit(vault)
  }
}
