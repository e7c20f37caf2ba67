import Glibc
import SecretService

extension Requester {
  /// The name that a person may know, which is what the program itself says; nil if there is none.
  var name: String? {
    switch self {
    case .application(let id): return id
    case .unknown: return nil
    case .process(let number):
      // The kernel's short name, because arguments may hold secrets. The path is a C string during
      // the call.
      let descriptor = unsafe open("/proc/\(number)/comm", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 64)
      // The array is ours, and as long as is said.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 1 else { return nil }
      return "\(String(decoding: bytes.prefix(count - 1), as: UTF8.self)) (process \(number))"
    }
  }
}
