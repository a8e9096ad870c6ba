/*
 * CPython's C functions, found in the running process: no Python header, one library for CPython 3.9 to 3.13.
 *
 * Only functions that exist in all of them are used. Objects are never looked into. Reference rules are CPython's own:
 * "new" results belong to the caller. All need the interpreter lock.
 */
#ifndef KILN_AGENT_PYTHON_H
#define KILN_AGENT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

struct kiln_object;

/* PyMethodDef and one entry of the table of built-in modules, as CPython lays them out. */
struct kiln_method {
  const char *name;
  struct kiln_object *(*call)(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
  int flags; /* KILN_METHOD_FLAGS */
  const char *doc;
};
#define KILN_METHOD_FLAGS 3 /* METH_VARARGS | METH_KEYWORDS */

struct kiln_builtin {
  const char *name;
  struct kiln_object *(*init)(void);
};

/* X(result, name, parameters) */
#define KILN_PYTHON_FUNCTIONS(X)                                                                                       \
  X(void, Py_IncRef, (struct kiln_object *))                                                                           \
  X(void, Py_DecRef, (struct kiln_object *))                                                                           \
  X(const char *, Py_GetVersion, (void))                                                                               \
  X(struct kiln_object *, Py_CompileString, (const char *, const char *, int))                                         \
  X(struct kiln_object *, PyEval_EvalCode, (struct kiln_object *, struct kiln_object *, struct kiln_object *))         \
  X(struct kiln_object *, PyEval_GetBuiltins, (void))                                                                  \
  X(void, PyErr_Fetch, (struct kiln_object **, struct kiln_object **, struct kiln_object **))                          \
  X(void, PyErr_Restore, (struct kiln_object *, struct kiln_object *, struct kiln_object *))                           \
  X(void, PyErr_Clear, (void))                                                                                         \
  X(int, PyErr_ExceptionMatches, (struct kiln_object *))                                                               \
  X(void, PyErr_SetString, (struct kiln_object *, const char *))                                                       \
  X(struct kiln_object *, PyImport_GetModuleDict, (void))                                                              \
  X(struct kiln_object *, PyCFunction_NewEx, (struct kiln_method *, struct kiln_object *, struct kiln_object *))       \
  X(struct kiln_object *, PyInstanceMethod_New, (struct kiln_object *))                                                \
  X(struct kiln_object *, PyObject_Call, (struct kiln_object *, struct kiln_object *, struct kiln_object *))           \
  X(struct kiln_object *, PyObject_CallFunctionObjArgs, (struct kiln_object *, ...))                                   \
  X(struct kiln_object *, PyObject_GetAttrString, (struct kiln_object *, const char *))                                \
  X(int, PyObject_SetAttrString, (struct kiln_object *, const char *, struct kiln_object *))                           \
  X(struct kiln_object *, PyObject_Str, (struct kiln_object *))                                                        \
  X(struct kiln_object *, PyObject_Type, (struct kiln_object *))                                                       \
  X(int, PyObject_IsTrue, (struct kiln_object *))                                                                      \
  X(struct kiln_object *, PyDict_New, (void))                                                                          \
  X(int, PyDict_SetItemString, (struct kiln_object *, const char *, struct kiln_object *))                             \
  X(struct kiln_object *, PyDict_GetItemString, (struct kiln_object *, const char *))                                  \
  X(struct kiln_object *, PyDict_GetItem, (struct kiln_object *, struct kiln_object *))                                \
  X(int, PyDict_Next, (struct kiln_object *, long *, struct kiln_object **, struct kiln_object **))                    \
  X(struct kiln_object *, PyTuple_New, (long))                                                                         \
  X(long, PyTuple_Size, (struct kiln_object *))                                                                        \
  X(struct kiln_object *, PyTuple_GetItem, (struct kiln_object *, long))                                               \
  X(int, PyTuple_SetItem, (struct kiln_object *, long, struct kiln_object *))                                          \
  X(long, PyList_Size, (struct kiln_object *))                                                                         \
  X(struct kiln_object *, PyList_GetItem, (struct kiln_object *, long))                                                \
  X(struct kiln_object *, PyLong_FromUnsignedLongLong, (unsigned long long))                                           \
  X(unsigned long long, PyLong_AsUnsignedLongLongMask, (struct kiln_object *))                                         \
  X(long long, PyLong_AsLongLongAndOverflow, (struct kiln_object *, int *))                                            \
  X(double, PyFloat_AsDouble, (struct kiln_object *))                                                                  \
  X(struct kiln_object *, PyUnicode_FromString, (const char *))                                                        \
  X(const char *, PyUnicode_AsUTF8AndSize, (struct kiln_object *, long *))                                             \
  X(struct kiln_object *, PyUnicode_AsEncodedString, (struct kiln_object *, const char *, const char *))               \
  X(int, PyBytes_AsStringAndSize, (struct kiln_object *, char **, long *))

/* X(name): types and singletons, compared by address. */
#define KILN_PYTHON_OBJECTS(X)                                                                                         \
  X(_Py_NoneStruct)                                                                                                    \
  X(_Py_TrueStruct)                                                                                                    \
  X(PyBool_Type)                                                                                                       \
  X(PyLong_Type)                                                                                                       \
  X(PyFloat_Type)                                                                                                      \
  X(PyUnicode_Type)                                                                                                    \
  X(PyDict_Type)                                                                                                       \
  X(PyList_Type)                                                                                                       \
  X(PyTuple_Type)

struct kiln_python {
#define KILN_MEMBER(result, name, parameters) result(*name) parameters;
  KILN_PYTHON_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER
#define KILN_MEMBER(name) struct kiln_object *name;
  KILN_PYTHON_OBJECTS(KILN_MEMBER)
#undef KILN_MEMBER
  struct kiln_object **PyExc_TypeError, **PyExc_Exception;
};

/* Filled by kiln_python_load; all NULL before. */
extern struct kiln_python kiln_python;

/* Find everything, in `handle` or, when NULL, in the whole process. NULL, or the name that is missing. */
const char *kiln_python_load(void *handle);

/* A pending exception, put aside while the agent works and put back afterwards. */
struct kiln_python_error {
  struct kiln_object *type, *value, *trace;
};
void kiln_python_error_save(struct kiln_python_error *error);
void kiln_python_error_restore(struct kiln_python_error *error);
/* Is the pending exception an error? False for what a signal handler of the program raises: KeyboardInterrupt,
 * SystemExit. */
bool kiln_python_error_is_ordinary(void);
/* Report the pending exception as the failure of a hook (capped `error` event) and clear it. */
void kiln_python_error_report(const char *hook);

/* Exact type of an object, for comparison only (not a reference). */
struct kiln_object *kiln_python_type(struct kiln_object *object);
/* Text of a str as UTF-8, valid while the object lives; NULL (and no exception) when it is no str. */
const char *kiln_python_text(struct kiln_object *object, size_t *len);
/* New tuple of numbers; NULL with an exception. */
struct kiln_object *kiln_python_numbers(const unsigned long long *numbers, long count);
/* Item of an argument tuple, NULL (and no exception) behind its end. Borrowed. */
struct kiln_object *kiln_python_argument(struct kiln_object *args, long index);
struct kiln_object *kiln_python_none(void); /* new reference to None */
/* TypeError for a wrong call of one of the agent's functions. Always NULL. */
struct kiln_object *kiln_python_refuse(const char *message);

#endif
