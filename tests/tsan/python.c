// Python with the runtime of ThreadSanitizer in it: clang's runtime cannot be preloaded.
#include <Python.h>

int main(int argc, char** argv) {
  return Py_BytesMain(argc, argv);
}
