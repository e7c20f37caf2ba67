import CVaultCurl
import Glibc
import HTTPAuthentication
import SecureMemory

/// Field lines for libcurl, wiped at the end because some log in.
///
/// libcurl copies them into its own memory, which is not wiped.
///
/// Safe: the list is this object's own, and freed once in its `deinit`.
@safe final class FieldLines {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?
  private var isWhole = true

  deinit {
    // As above; each line is a C string, which libcurl made.
    var line = unsafe pointer
    while let current = unsafe line {
      if let text = unsafe current.pointee.data {
        unsafe wipe(UnsafeMutableRawBufferPointer(start: text, count: strlen(text)))
      }
      unsafe line = current.pointee.next
    }
    unsafe curl_slist_free_all(pointer)
  }

  /// Whether there was memory for all lines.
  var isComplete: Bool { isWhole }

  /// Adds a field; one without a value is sent all the same.
  func append(_ field: ResponseHead.Field) {
    append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
  }

  /// Adds a field that logs in.
  func append(_ field: AuthorizationField) {
    let beginning = "\(field.name): ".utf8
    let count = beginning.count + field.value.count + 1
    // Of this call alone, wiped before it is given back.
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: count)
    defer {
      unsafe wipe(UnsafeMutableRawBufferPointer(text))
      unsafe text.deallocate()
    }
    var index = 0
    for byte in beginning {
      unsafe text[index] = CChar(bitPattern: byte)
      index += 1
    }
    field.value.withBytes { bytes in
      for position in bytes.indices {
        unsafe text[index] = CChar(bitPattern: bytes[position])
        index += 1
      }
    }
    unsafe text[index] = 0
    unsafe append(UnsafePointer(text.baseAddress))
  }

  /// Removes a field that libcurl would send by itself.
  func remove(_ name: String) { append("\(name):") }

  private func append(_ line: String) {
    // A C string for the call.
    unsafe line.withCString { unsafe append($0) }
  }

  private func append(_ line: UnsafePointer<CChar>?) {
    // libcurl copies the line, and gives the list back, or nil without memory.
    guard let longer = unsafe curl_slist_append(pointer, line) else {
      isWhole = false
      return
    }
    unsafe pointer = longer
  }
}
