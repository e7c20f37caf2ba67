import CredentialVault
import Glibc
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// A vault that is locked when a challenge comes.
@Suite struct UnlockingTests {
  private func locked() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.store()
    try fixture.vault.lock()
    return fixture
  }

  @Test("two requests of one authenticator need one key")
  func together() async throws {
    let fixture = try locked()
    let gate = Gate()
    let queue = PromptQueue()
    let prompt = GatedKey(fixture.key, gate)
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .waiting(in: queue))
    let server = MemoryServer()
    async let one = authenticator.get("https://h/x", from: server).status
    async let two = authenticator.get("https://h/y", from: server).status
    await queue.reaches(2)
    gate.open()
    #expect(try await one == 200)
    #expect(try await two == 200)
    #expect(prompt.calls == 1)
  }

  @Test("who waited behind the one that unlocked it finds it unlocked, and asks for no key")
  func behind() async throws {
    let fixture = try locked()
    let gate = Gate()
    let queue = PromptQueue()
    let prompt = GatedKey(fixture.key, gate)
    let other = GatedKey(nil, gate)
    let first = Authenticator(vault: fixture.vault, prompt: prompt, settings: .waiting(in: queue))
    let second = Authenticator(vault: fixture.vault, prompt: other, settings: .waiting(in: queue))
    let server = MemoryServer()
    async let one = first.get("https://h/x", from: server).status
    await prompt.wasAsked()
    async let two = second.get("https://h/y", from: server).status
    await queue.reaches(2)
    gate.open()
    #expect(try await one == 200)
    #expect(try await two == 200)
    #expect(other.calls == 0)
  }

  @Test("three wrong keys are the end, and the error says that they were wrong")
  func wrongKeys() async throws {
    let fixture = try locked()
    try KeyFile.create(at: fixture.folder.file("other"))
    let wrong = KeySource.keyFile(fixture.folder.file("other"))
    let prompt = ScriptedPrompt(keys: Array(repeating: wrong, count: 5))
    let server = MemoryServer()
    await #expect(throws: VaultError(.authenticationFailed, "")) {
      try await Authenticator(vault: fixture.vault, prompt: prompt).get("https://h/x", from: server)
    }
    #expect(prompt.unlocking.map(\.failures) == [0, 1, 2])
    #expect(server.statuses == [401])
  }

  @Test("everything cancelled while it waits to be unlocked: the caller gets its 401 as cancelled")
  func cancelled() async throws {
    let fixture = try locked()
    let gate = Gate()
    let queue = PromptQueue()
    let prompt = ScriptedPrompt { _ in
      await gate.pass()
      return .cancel(.all)
    }
    let first = Authenticator(vault: .inMemory(), prompt: prompt, settings: .waiting(in: queue))
    let second = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(), settings: .waiting(in: queue))
    async let one = first.get("https://h/x", from: MemoryServer())
    await prompt.wasAsked(1)
    async let two = second.get("https://h/x", from: MemoryServer())
    await queue.reaches(2)
    gate.open()
    #expect(try await one.1.reason == .cancelled)
    let (status, outcome) = try await two
    #expect(status == 401 && outcome.reason == .cancelled)
  }

  @Test("nobody says a key in time: the caller gets its 401 as unanswered")
  func unanswered() async throws {
    let fixture = try locked()
    let clock = QueueTestClock()
    let prompt = GatedKey(fixture.key, Gate())
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt,
      settings: .waiting(in: PromptQueue(clock: clock.clock), answerLimit: .seconds(1)))
    async let ended = authenticator.get("https://h/x", from: MemoryServer())
    await prompt.wasAsked()
    clock.pass(.seconds(2))
    let (status, outcome) = try await ended
    #expect(status == 401 && outcome.reason == .unanswered)
  }

  @Test("vaults at work block no task of the process while requests look whether they are unlocked")
  func pool() async {
    // In a process of its own: the other tests' waits would also hold the pool up.
    await #expect(processExitsWith: .success) { try await UnlockingTests().holdThePool() }
  }

  private func holdThePool() async throws {
    // More than the cooperative pool has threads: if they blocked it, nobody would end the work.
    let fixtures = try (0..<24).map { _ in try locked() }
    let queues = fixtures.map { _ in PromptQueue() }
    let gate = Gate()
    let others = queues.map { queue in
      Task {
        try await queue.reply(to: 0, within: .seconds(300)) {
          nil
        } ask: { () async throws(VaultError) in
          await gate.pass()
          return PromptQueue.Asked(reply: 0)
        }
      }
    }
    for queue in queues { await queue.reaches(1) }
    let server = MemoryServer()
    let requests = zip(fixtures, queues).map { fixture, queue in
      Task {
        try await Authenticator(
          vault: fixture.vault, prompt: ScriptedPrompt(), settings: .waiting(in: queue)
        )
        .get("https://h/x", from: server).status
      }
    }
    for queue in queues { await queue.reaches(2) }
    let (held, isOver) = (Lock(0), Lock(false))
    let bound = ContinuousClock.now + .seconds(120)
    let work = fixtures.map { fixture in
      Task {
        try await fixture.vault.unlock(with: fixture.key)
        // Returns whether the test could end it.
        return try await fixture.vault.write { _ in
          held.withLock { $0 += 1 }
          while !isOver.withLock(\.self), ContinuousClock.now < bound { usleep(500) }
          return isOver.withLock(\.self)
        }
      }
    }
    while held.withLock(\.self) < fixtures.count { await Task.yield() }
    gate.open()
    for queue in queues { while queue.length > 1 { await Task.yield() } }
    // Lets the requests look; too early an end would only hide that they block.
    for _ in 0..<1000 { await Task.yield() }
    isOver.withLock { $0 = true }
    for work in work { #expect(try await work.value) }
    for other in others { _ = try await other.value }
    for request in requests { #expect(try await request.value == 200) }
  }
}
