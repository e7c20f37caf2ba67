import SecureMemory
import Testing
import VaultModel

@testable import VaultStore

@Suite("Observer")
struct ObserverTests {
  private let queue = EventQueue()
  private let told = Lock<[VaultEvent]>([])

  private func observe() -> Observer {
    queue.observe(owner: ObjectIdentifier(queue)) { [told] event in
      told.withLock { $0.append(event) }
    }
  }

  @Test("a call that was about to begin when the observer was cancelled is none")
  func late() {
    let observer = observe()
    observer.call(.unlocked)
    observer.cancel()
    observer.call(.locked)
    #expect(told.withLock { $0 } == [.unlocked])
  }

  @Test("events are only made while somebody observes")
  func unobserved() {
    let made = Lock(0)
    func event() -> VaultEvent {
      made.withLock { $0 += 1 }
      return .policyChanged
    }
    queue.post(event())
    let observer = observe()
    queue.post(event())
    observer.cancel()
    queue.post(event())
    #expect(told.withLock { $0 } == [.policyChanged] && made.withLock { $0 } == 1)
  }

  @Test("what is posted within a body is delivered after the outermost one")
  func postponed() {
    let observer = observe()
    EventDelivery.after { _ in
      EventDelivery.after { _ in queue.post(.locked) }
      queue.post(.unlocked)
      #expect(told.withLock { $0 } == [])
    }
    #expect(told.withLock { $0 } == [.locked, .unlocked])
    observer.cancel()
  }
}
