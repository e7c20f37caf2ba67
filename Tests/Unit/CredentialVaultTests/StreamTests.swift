import CredentialVault
import TestSupport
import Testing
import VaultModel

@Suite("Vault: streams of events", .timeLimit(.minutes(5)))
struct StreamTests {
  @Test("a task that iterates can be cancelled while an event is given to it")
  func cancelling() async throws {
    let (vault, executor) = (Vault.inMemory(), HeldExecutor())
    let listening = Task(executorPreference: executor) {
      var count = 0
      for await _ in vault.events { count += 1 }
      return count
    }
    executor.finishJobs()
    executor.hold()
    let ann = try item()
    async let storing = inThread { try vault.add(ann, persistence: .session) }
    try await executor.waitForResumer()
    // The event is in the middle of its delivery, which is released only after this.
    try await inThread { listening.cancel() }
    executor.release()
    _ = try await storing
    #expect(await listening.value == 1)
  }

  @Test("a stream does not keep its vault, and ends with it")
  func releasing() async throws {
    var vault: Vault? = Vault.inMemory()
    weak let kept = vault
    let events = try #require(vault?.events)
    var iterator = events.makeAsyncIterator()
    try await vault?.add(item(), persistence: .session)
    vault = nil
    try #require(kept == nil)
    var count = 0
    while await iterator.next() != nil { count += 1 }
    #expect(count == 1)
    for await event in events { Issue.record("\(event) of a vault that was released") }
    let recorder = EventRecorder()
    events.observe(recorder).cancel()
    #expect(recorder.take() == [])
  }
}
