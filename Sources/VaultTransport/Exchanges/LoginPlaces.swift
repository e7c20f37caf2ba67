import HTTPAuthentication
import SecureMemory
import VaultModel

/// The connections that users log in on, by login: each carries one request after the other.
///
/// At most as many as an origin may have are used for one login; more requests wait.
final class LoginPlaces: Sendable {
  private struct Waiter {
    let id: UInt32
    /// Whether a kept connection does not do.
    let isNew: Bool
    let continuation: CheckedContinuation<LoginPlace.Number?, Never>
  }

  private struct Group {
    /// Those that nobody uses, the latest last.
    var free: [LoginPlace.Number] = []
    var used = 0
    var waiters: [Waiter] = []
  }

  private struct State {
    var groups: [ConnectionOwner: Group] = [:]
    var cancelled: Set<UInt32> = []
  }

  private let state = Lock(State())
  private let loop: TransportLoop
  private let most: Int
  private static let count = Lock<UInt32>(0)

  init(_ loop: TransportLoop, most: Int) {
    self.loop = loop
    self.most = most
  }

  private static func next() -> UInt32 {
    count.withLock { count in
      count &+= 1
      return count
    }
  }

  /// Returns the place for the next request of an exchange: the one before if the login is the
  /// same, else one that was kept, unless it has to be new, or a new one; nil without a login.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the task is cancelled while all are in use.
  func place(
    for login: ConnectionOwner?, isNew: Bool, after previous: LoginPlace?
  ) async throws(VaultError) -> LoginPlace? {
    if let previous {
      guard previous.login != login else { return previous }
      previous.end(keeps: false)
    }
    guard let login else { return nil }
    let id = Self.next()
    let number = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        take(login, Waiter(id: id, isNew: isNew, continuation: continuation))
      }
    } onCancel: {
      cancel(id, login)
    }
    state.withLock { _ = $0.cancelled.remove(id) }
    guard let number else { throw VaultError.cancelled }
    return LoginPlace(number, login, of: self)
  }

  private func take(_ login: ConnectionOwner, _ waiter: Waiter) {
    let result: LoginPlace.Number?? = state.withLock { state in
      if state.cancelled.contains(waiter.id) { return .some(nil) }
      var group = state.groups[login] ?? Group()
      defer { state.groups[login] = group }
      guard group.used < most else {
        group.waiters.append(waiter)
        return nil
      }
      group.used += 1
      let kept = waiter.isNew ? nil : group.free.popLast()
      return kept ?? LoginPlace.Number(value: Self.next())
    }
    if let result { waiter.continuation.resume(returning: result) }
  }

  private func cancel(_ id: UInt32, _ login: ConnectionOwner) {
    let waiter = state.withLock { state -> Waiter? in
      state.cancelled.insert(id)
      guard let index = state.groups[login]?.waiters.firstIndex(where: { $0.id == id }) else {
        return nil
      }
      return state.groups[login]?.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: nil)
  }

  /// Takes a place back, and gives it, or a new one, to who has waited longest.
  fileprivate func giveBack(_ place: LoginPlace, keeps: Bool) {
    var spare: [LoginPlace.Number] = keeps ? [] : [place.number]
    let next = state.withLock { state -> (Waiter, LoginPlace.Number)? in
      guard var group = state.groups[place.login] else { return nil }
      defer {
        state.groups[place.login] = group.used == 0 && group.free.isEmpty ? nil : group
      }
      if keeps { group.free.append(place.number) }
      guard !group.waiters.isEmpty else {
        group.used -= 1
        if group.free.count > most { spare.append(group.free.removeFirst()) }
        return nil
      }
      let waiter = group.waiters.removeFirst()
      let kept = waiter.isNew ? nil : group.free.popLast()
      return (waiter, kept ?? LoginPlace.Number(value: Self.next()))
    }
    for number in spare { loop.send(.discard(number)) }
    next?.0.continuation.resume(returning: next?.1)
  }
}

/// A connection that one request uses for a login, until its response has arrived.
final class LoginPlace: Sendable {
  /// Tells it from all others of the process; a partition has it.
  struct Number: Hashable, Sendable {
    let value: UInt32
  }

  let number: Number
  let login: ConnectionOwner
  private let places: LoginPlaces
  private let state = Lock(State())

  private struct State {
    /// Whether a response is on its way.
    var isBusy = false
    /// Whether the login is done, and the connection may be kept.
    var keeps: Bool?
    var isGivenBack = false
  }

  fileprivate init(_ number: Number, _ login: ConnectionOwner, of places: LoginPlaces) {
    self.number = number
    self.login = login
    self.places = places
  }

  // A response that nobody reads to its end.
  deinit {
    change {
      $0.isBusy = false; $0.keeps = $0.keeps ?? false
    }
  }

  /// Notes that a transfer begins.
  func transferBegins() { change { $0.isBusy = true } }

  /// Notes that a transfer has ended.
  func transferEnded() { change { $0.isBusy = false } }

  /// Notes that the exchange has ended; the first call counts.
  func end(keeps: Bool) { change { $0.keeps = $0.keeps ?? keeps } }

  /// Gives the connection back once the exchange has ended and its last response has arrived.
  private func change(_ body: (inout State) -> Void) {
    let keeps = state.withLock { state -> Bool? in
      body(&state)
      guard !state.isBusy, !state.isGivenBack, let keeps = state.keeps else { return nil }
      state.isGivenBack = true
      return keeps
    }
    if let keeps { places.giveBack(self, keeps: keeps) }
  }
}
