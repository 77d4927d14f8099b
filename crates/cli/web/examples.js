// The examples of the playground.

export const EXAMPLES = [
  {
    name: "When can a tensor be viewed?",
    source: `z = arange(12).reshape(3, 4)
z_t = z.T
z_t.view(2, 2, 3)
z_t.view(6, 2)`,
  },
  {
    name: "Anatomy of a tensor",
    source: `x = arange(12).reshape(3, 4)
row = x[1]
column = x[:, 2]
block = x[1:, ::2]`,
  },
  {
    name: "Views share memory",
    source: `x = arange(12).reshape(3, 4)
flat = x.reshape(12)
back = flat.reshape(3, 4)
t = x.transpose(0, 1)
t.reshape(12)`,
  },
  {
    name: "Strides: expand, shrink, flip, pad",
    source: `a = arange(6).reshape(2, 3)
a.T
a[:, 1:]
a.flip(1)
a.reshape(2, 1, 3).expand(2, 2, 3)
a.pad(((1, 1), (1, 1)))
a.lens().pad(((1, 1), (1, 1)))`,
  },
  {
    name: "Flatten without a copy",
    source: `x = arange(24).reshape(2, 3, 4)
x.flatten(1, 2)
part = x[0:2, 1:3, :]
part.flatten(1, 2)
part.flatten(0, 1)`,
  },
  {
    name: "Windows of a signal",
    source: `signal = arange(8)
signal.unfold(0, 3, 1)
image = arange(16).reshape(4, 4)
sliding_window_view(image, (2, 2))`,
  },
  {
    name: "Broadcasting in arithmetic",
    source: `row = arange(4)
column = arange(3).reshape(3, 1)
row + column`,
  },
  {
    name: "In place, through a view",
    source: `x = arange(12).reshape(3, 4)
column = x[:, 1]
column += 100
x[1:] -= x[:-1]`,
  },
  {
    name: "A reduction",
    source: `x = arange(12).reshape(3, 4)
x.sum(axis=0)
x.max(axis=1, keepdims=True)
x.mean()`,
  },
  {
    name: "Matrix product",
    source: `a = arange(6).reshape(2, 3)
b = arange(12).reshape(3, 4)
a @ b`,
  },
  {
    name: "Indexing by a mask",
    source: `x = arange(12).reshape(3, 4)
mask = x % 3 == 0
x[mask]
x[[2, 0]]
x[mask] = -1`,
  },
  {
    name: "A program and its memory",
    source: `x = arange(24).reshape(4, 6)
s = (x * x).sum(axis=0)  # a temporary
flat = x.T.reshape(-1)   # a copy
x = flat[:6]             # frees memory
x + s`,
  },
  {
    name: "No copies allowed",
    source: `x = arange(12).reshape(3, 4)
with no_copies():
    rows = x.reshape(6, 2)
    rows += 1
    x.T.reshape(6, 2)`,
  },
  {
    name: "Patches of an image",
    source: `image = arange(24).reshape(4, 6)
image.rearrange("(h a) (w b) -> h w a b", a=2, b=3)
image.rearrange("(h a) (w b) -> (h w) (a b)", a=2, b=3)`,
  },
  {
    name: "A large tensor",
    source: `x = zeros(1000, 2000)
x.T[::-1, 500:]`,
  },
];
