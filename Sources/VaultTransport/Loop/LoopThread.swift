import Glibc

/// A thread that runs for ever.
enum LoopThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Never

    init(_ run: @escaping @Sendable () -> Never) {
      self.run = run
    }
  }

  /// Starts it.
  ///
  /// - Returns: The system's error; 0 if it runs.
  static func start(_ run: @escaping @Sendable () -> Never) -> Int32 {
    var all = sigset_t()
    var before = sigset_t()
    // Both sets are ours. A thread begins with the signals blocked that its maker blocks: the
    // program's handlers belong on the program's threads, and a write to a closed socket is no
    // reason to end the program.
    unsafe sigfillset(&all)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    // Retained here, and taken over by the thread, or released below if there is none.
    let argument = unsafe Unmanaged.passRetained(Work(run))
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        // The reference that was retained for this thread.
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
      }, argument.toOpaque())
    // The mask that was read above.
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      // The thread that would have taken it over does not exist.
      unsafe argument.release()
      return status
    }
    pthread_detach(thread)
    return 0
  }
}
