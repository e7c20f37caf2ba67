import CVaultSystem
import Glibc
package import VaultModel

/// Dialogues on a thread of their own: reading from a terminal blocks, and tasks share few threads.
package enum TerminalThread {
  /// Runs a dialogue at the terminal.
  ///
  /// Cancelling the task ends a waiting prompt and restores the terminal.
  ///
  /// - Parameter dialogue: Runs on the thread, which handles no signals.
  /// - Returns: The result of the dialogue.
  /// - Throws: ``VaultError/Code/unavailable`` at once if nobody can be asked; the errors of the
  ///   dialogue.
  package static func talk<Reply: Sendable>(
    _ dialogue: @escaping @Sendable (borrowing Terminal) throws(VaultError) -> Reply
  ) async throws(VaultError) -> Reply {
    let wakeUp = try WakeUp()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let work = Work { continuation.resume(returning: run(dialogue, wakeUp)) }
        guard let number = start(work) else { return }
        continuation.resume(
          returning: .failure(VaultError(.unavailable, "a thread", underlying: .errno(number))))
      }
    } onCancel: {
      wakeUp.wake()
    }
    return try outcome.get()
  }

  private static func run<Reply: Sendable>(
    _ dialogue: (borrowing Terminal) throws(VaultError) -> Reply, _ wakeUp: WakeUp
  ) -> Result<Reply, VaultError> {
    guard let terminal = Terminal(wakeUp: wakeUp) else {
      return .failure(VaultError(.unavailable, "there is no terminal to ask on"))
    }
    do throws(VaultError) {
      return .success(try dialogue(terminal))
    } catch {
      return .failure(error)
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Starts a thread; returns the system's error if that fails.
  private static func start(_ work: Work) -> Int32? {
    var all = sigset_t()
    var before = sigset_t()
    // Both sets are ours. A thread begins with the signals blocked that its maker blocks: the
    // program's handlers belong on the program's threads.
    unsafe sigfillset(&all)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    // Retained here, and taken over by the thread, or released below if there is none.
    let argument = unsafe Unmanaged.passRetained(work)
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        // The reference that was retained for this thread.
        if let argument = unsafe argument {
          unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, argument.toOpaque())
    // The mask that was read above.
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      // The thread that would have taken it over does not exist.
      unsafe argument.release()
      return status
    }
    pthread_detach(thread)
    return nil
  }
}

/// A handle that ends a prompt from another thread.
package final class WakeUp: Sendable {
  private let descriptor: Int32

  /// Creates a handle.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the process has no descriptor left.
  package init() throws(VaultError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw VaultError(.unavailable, "the terminal", underlying: .errno(errno))
    }
  }

  deinit { close(descriptor) }

  /// Ends the current prompt, and every later one.
  package func wake() {
    var one: UInt64 = 1
    // Eight bytes of ours. It can only fail if it was done 2^64 - 2 times before.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Waits until the input can be read.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if it was woken, before or during the wait.
  func wait(for input: Int32) throws(VaultError) {
    guard try !Descriptor.wait(for: input, or: descriptor) else {
      throw VaultError(.interrupted, "nobody waits any more")
    }
  }
}
