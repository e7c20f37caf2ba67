public import CVault
import Glibc
import HTTPAuthentication
import SecureMemory
import VaultModel

/// Wipes and frees fields; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_fields_free(
  _ fields: UnsafeMutablePointer<vault_http_field_t>?, _ count: Int
) {
  guard let fields = unsafe fields else { return }
  // The array is one of ``GivenArray``, and so long.
  for index in 0..<max(count, 0) {
    unsafe vault_buffer_free(&fields[index].name)
    unsafe vault_buffer_free(&fields[index].value)
  }
  unsafe free(fields)
}

/// Writes an array of fields, and their number, to the caller's places.
func giveOut(
  at fields: UnsafeMutablePointer<UnsafeMutablePointer<vault_http_field_t>?>?,
  _ count: UnsafeMutablePointer<Int>?, _ make: () throws(VaultError) -> [AuthorizationField]
) -> vault_status_t {
  status { () throws(VaultError) in
    // The caller's places, which are written only once there is an array.
    let place = try unsafe required(fields)
    let countPlace = try unsafe required(count)
    let made = try make()
    unsafe place.pointee = try copies(of: made)
    unsafe countPlace.pointee = made.count
  }
}

/// Returns copies for the caller; nil for none.
///
/// - Throws: ``VaultError/Code/outOfMemory``; nothing is given out then.
private func copies(
  of fields: [AuthorizationField]
) throws(VaultError) -> UnsafeMutablePointer<vault_http_field_t>? {
  // Both buffers are empty until they are filled below.
  let array = try unsafe GivenArray.of(fields) { field in
    unsafe vault_http_field_t(
      side: vault_http_side_t(isProxy: field.isProxy), name: vault_buffer_t(),
      value: vault_buffer_t())
  }
  guard let array = unsafe array else { return nil }
  do throws(VaultError) {
    for (index, field) in fields.enumerated() {
      unsafe array[index].name = try vault_buffer_t(copying: field.name)
      unsafe array[index].value = try vault_buffer_t(copying: field.value)
    }
  } catch {
    unsafe vault_http_fields_free(array, fields.count)
    throw error
  }
  return unsafe array
}
