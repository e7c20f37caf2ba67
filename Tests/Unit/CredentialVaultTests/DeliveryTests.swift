import CredentialVault
import Dispatch
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: how observers are told")
struct DeliveryTests {
  typealias Subject = VaultEvent.Subject

  let fixture: Fixture
  let recorder = EventRecorder()
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  // MARK: Order

  @Test("every observer is told the same, in the order in which threads committed")
  func order() throws {
    let other = try fixture.open()
    let recorders = [recorder, EventRecorder(), EventRecorder()]
    let observations = zip([vault, other, vault], recorders).map { $0.events.observe($1) }
    let stored = Lock<[Item]>([])
    let failures = Lock(0)
    inThreads(8) { thread in
      for number in 0..<30 {
        do {
          let place: Persistence = number % 3 == 0 ? .permanent : .session
          let user = try item("user \(thread) \(number)")
          let added = try (thread % 2 == 0 ? vault : other).add(user, persistence: place).item
          stored.withLock { $0.append(added) }
        } catch {
          failures.withLock { $0 += 1 }
        }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    // The delivering thread has returned by now.
    observations.forEach { $0.cancel() }
    let told = recorders.map { $0.take() }
    #expect(told[0].count == 240 && told[1] == told[0] && told[2] == told[0])
    let revisions = Dictionary(
      uniqueKeysWithValues: stored.withLock { $0 }.map { ($0.id, $0.revision) })
    for place in [Persistence.session, .permanent] {
      let ids = told[0].compactMap(\.subject).filter { $0.persistence == place }.map(\.id)
      let order = ids.map { revisions[$0] ?? 0 }
      #expect(order.count == (place == .session ? 160 : 80) && order == order.sorted())
      #expect(order.first != 0)
    }
  }

  @Test("two vaults on one file share what is told, and each observer is told it once")
  func sharing() throws {
    let other = try fixture.open()
    let observations = [vault.events.observe(recorder), other.events.observe(recorder)]
    let ann = try other.add(item(), persistence: .session).item
    #expect(recorder.take() == [.added(Subject(ann)), .added(Subject(ann))])
    try vault.lock()
    #expect(recorder.take() == [.locked, .locked])
    observations.forEach { $0.cancel() }
  }

  // MARK: Calling the vault

  @Test("an observer may use the vault; what it stores is told after what was waiting")
  func calling() throws {
    let (vault, recorder, reached) = (vault, recorder, Lock(0))
    let observation = vault.events.observe { event in
      recorder.write(event)
      guard let id = event.subject?.id else { return }
      do {
        let found = try vault.findAll(ItemQuery()).first { $0.id == id }
        guard let found, !found.account.hasPrefix("again") else { return }
        try vault.add(item("again \(found.account)"), persistence: .session)
        try vault.write { (_) throws(VaultError) in }
        reached.withLock { $0 += 1 }
      } catch {
        reached.withLock { $0 = -100 }
      }
    }
    let (ann, bob) = (try item("ann"), try item("bob"))
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(ann)
      try transaction.add(bob)
    }
    let all = try vault.findAll(ItemQuery())
    let users = recorder.take().map { event in all.first { $0.id == event.subject?.id }?.account }
    #expect(users == ["ann", "bob", "again ann", "again bob"])
    #expect(reached.withLock { $0 } == 2)
    observation.cancel()
  }

  @Test("an observer may lock the vault, and close it")
  func ending() throws {
    let (vault, recorder) = (vault, recorder)
    let observation = vault.events.observe { event in
      recorder.write(event)
      do {
        if event == .locked { try vault.close() } else { try vault.lock() }
      } catch {
        Issue.record(error)
      }
    }
    let ann = try vault.add(item()).item
    #expect(recorder.take() == [.added(Subject(ann)), .locked])
    #expect(try vault.state() == .closed)
    observation.cancel()
  }

  @Test("what is stored elsewhere within a transaction is told when that is over")
  func withinTransaction() throws {
    let (memory, recorder, vault) = (Vault.inMemory(), recorder, vault)
    let observation = memory.events.observe { event in
      recorder.write(event)
      do {
        _ = try vault.findAll(ItemQuery())
      } catch {
        Issue.record(error)
      }
    }
    let ann = try item()
    try vault.write { (_) throws(VaultError) in
      try memory.add(ann, persistence: .session)
      #expect(recorder.take() == [])
    }
    #expect(recorder.take().count == 1)
    observation.cancel()
  }

  // MARK: Beginning and ending

  @Test("an observer is told nothing from before it came, and nothing after it was cancelled")
  func cancelling() throws {
    try vault.add(item("before"))
    let observation = vault.events.observe(recorder)
    let during = try vault.add(item("during")).item
    observation.cancel()
    observation.cancel()
    try vault.add(item("after"))
    #expect(recorder.take() == [.added(Subject(during))])
  }

  @Test("an observation ends when it is released")
  func releasing() throws {
    var observation: VaultObserver? = vault.events.observe(recorder)
    try vault.add(item())
    #expect(recorder.take().count == 1 && observation != nil)
    observation = nil
    try vault.add(item("bob"))
    #expect(recorder.take() == [])
  }

  @Test("observers may come and go while they are told")
  func comingAndGoing() throws {
    let (vault, recorder) = (vault, recorder)
    let kept = Lock<[VaultObserver]>([])
    let late = EventRecorder()
    let first = vault.events.observe { event in
      recorder.write(event)
      // The following observer is cancelled, and a new one gets only the next change.
      let before = kept.withLock { kept in
        defer { kept = [vault.events.observe(late)] }
        return kept
      }
      before.forEach { $0.cancel() }
    }
    let second = EventRecorder()
    kept.withLock { $0 = [vault.events.observe(second)] }
    let ann = try vault.add(item("ann")).item
    #expect(recorder.take() == [.added(Subject(ann))])
    #expect(second.take() == [] && late.take() == [])
    let bob = try vault.add(item("bob")).item
    #expect(recorder.take() == [.added(Subject(bob))])
    #expect(second.take() == [])
    first.cancel()
    let carl = try vault.add(item("carl")).item
    #expect(recorder.take() == [] && late.take() == [.added(Subject(carl))])
    kept.withLock { $0 }.forEach { $0.cancel() }
  }

  @Test("an observer may cancel itself, and is not told the rest")
  func cancellingItself() throws {
    let (recorder, own) = (recorder, Lock<VaultObserver?>(nil))
    let observation = vault.events.observe { event in
      recorder.write(event)
      own.withLock { $0 }?.cancel()
    }
    own.withLock { $0 = observation }
    let (ann, bob) = (try item("ann"), try item("bob"))
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(ann)
      try transaction.add(bob)
    }
    #expect(recorder.take().count == 1)
  }

  @Test("once cancelling has returned no call runs, whoever is storing meanwhile")
  func cancellingBesideOthers() throws {
    for _ in 0..<200 {
      let vault = Vault.inMemory()
      let (isOver, lateCalls) = (Lock(false), Lock(0))
      let observation = vault.events.observe { _ in
        if isOver.withLock({ $0 }) { lateCalls.withLock { $0 += 1 } }
      }
      inThreads(3) { thread in
        guard thread > 0 else {
          observation.cancel()
          isOver.withLock { $0 = true }
          return
        }
        do {
          for number in 0..<5 {
            try vault.add(Item(account: "\(thread) \(number)"), persistence: .session)
          }
        } catch {
          Issue.record(error)
        }
      }
      #expect(lateCalls.withLock { $0 } == 0)
    }
  }

  @Test("cancelling within a transaction does not wait for an observer that waits for it")
  func cancellingWithinTransaction() throws {
    let (vault, memory, recorder) = (vault, Vault.inMemory(), recorder)
    let hasBegun = DispatchSemaphore(value: 0)
    let observation = memory.events.observe { event in
      hasBegun.signal()
      do {
        _ = try vault.findAll(ItemQuery())
        recorder.write(event)
      } catch {
        Issue.record(error)
      }
    }
    let isDone = DispatchSemaphore(value: 0)
    try vault.write { (_) throws(VaultError) in
      DispatchQueue.global().async {
        do {
          try memory.add(item(), persistence: .session)
        } catch {
          Issue.record(error)
        }
        isDone.signal()
      }
      hasBegun.wait()
      observation.cancel()
      #expect(recorder.take() == [])
    }
    isDone.wait()
    #expect(recorder.take().count == 1)
  }

  @Test("who begins to observe in the middle of a transaction is told that the vault changed")
  func inTheMiddle() throws {
    let ann = try item()
    var observation: VaultObserver?
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(ann)
      observation = vault.events.observe(recorder)
    }
    #expect(recorder.take() == [.changedElsewhere])
    observation?.cancel()
  }

  @Test("after a vault was closed its observers are told nothing, and those of another one are")
  func closing() throws {
    let (other, others) = (try fixture.open(), EventRecorder())
    let observations = [vault.events.observe(recorder), other.events.observe(others)]
    try vault.close()
    let late = vault.events.observe(recorder)
    let ann = try other.add(item()).item
    #expect(recorder.take() == [] && others.take() == [.added(Subject(ann))])
    try other.close()
    #expect(others.take() == [.locked])
    (observations + [late]).forEach { $0.cancel() }
  }

  // MARK: Streams

  @Test("a stream gives every event, and ends when the vault is closed")
  func stream() async throws {
    var events = vault.events.makeAsyncIterator()
    let ann = try await vault.add(item()).item
    try await vault.close()
    var told: [VaultEvent] = []
    while let event = await events.next() { told.append(event) }
    #expect(told == [.added(Subject(ann)), .locked])
    for await event in vault.events { Issue.record("\(event) after the end") }
  }

  @Test("a stream ends when the vault is released")
  func releasedVault() async throws {
    var memory: Vault? = Vault.inMemory()
    var events = memory?.events.makeAsyncIterator()
    try await memory?.add(item(), persistence: .session)
    memory = nil
    var count = 0
    while await events?.next() != nil { count += 1 }
    #expect(count == 1)
  }
}

extension VaultEvent {
  fileprivate var subject: Subject? {
    switch self {
    case .added(let subject), .modified(let subject), .removed(let subject): subject
    default: nil
    }
  }
}
