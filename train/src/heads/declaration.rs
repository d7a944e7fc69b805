//! What follows from the declaration of the heads: records with a field for each of them.

/// Declares the heads. Of each: its name, its width (`[]` is one number, `[3]` three, `[material]` as many as that field of
/// `Shape` says), what it says, its target, the weight of a sample (`None`: all count alike), its loss, the key of its weight
/// and of its metric, the default of the weight, and whether its loss is drawn as a curve. Attributes before `weight` are
/// those of the field in configurations: `#[serde(skip)]` where the weight is no key. Attributes before `metric` are those of
/// the field in logs: a head that logs of earlier versions lack has `#[serde(default)]`.
macro_rules! heads {
    (
        policy: {
            weight: $policy_default:literal, $policy_weight:literal,
            metrics: { $($figure:ident: $figure_meaning:literal,)* },
        }
        $($name:ident: {
            width: [$($width:tt)?],
            output: $output:literal,
            target: $target_meaning:literal = $target:expr,
            counts: $counts:expr,
            loss: $loss:expr,
            key: $key:ident,
            $(#[$weight_attribute:meta])*
            weight: $default:literal, $weight:literal,
            $(#[$attribute:meta])*
            metric: $metric:literal,
            drawn: $drawn:literal,
        })*
    ) => {
        /// Something of each head of the value branch.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct PerHead<T> { $(pub $name: T,)* }

        /// Number of heads of the value branch.
        const COUNT: usize = [$(stringify!($name)),*].len();

        /// The heads of the value branch, in the order of their outputs.
        pub(crate) static HEADS: PerHead<Head> = PerHead {
            $($name: Head {
                name: stringify!($name),
                width: crate::heads::declaration::width!($($width)?),
                output: $output,
                target: $target,
                target_meaning: $target_meaning,
                counts: $counts,
                loss: $loss,
                key: stringify!($key),
                drawn: $drawn,
            },)*
        };

        impl<T> PerHead<T> {
            /// Those of the heads, in their order.
            pub fn iter(&self) -> impl Iterator<Item = &T> {
                self.as_ref().into_iter()
            }

            /// Those of the heads, in their order, to be changed.
            pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
                [$(&mut self.$name),*].into_iter()
            }

            /// References to all.
            pub fn as_ref(&self) -> PerHead<&T> {
                PerHead { $($name: &self.$name,)* }
            }

            /// What `make` makes of each, in the order of the heads.
            pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> PerHead<U> {
                PerHead { $($name: make(self.$name),)* }
            }

            /// What `make` makes of each, in the order of the heads.
            ///
            /// # Errors
            /// The first that `make` returns.
            pub fn try_map<U, E>(self, mut make: impl FnMut(T) -> Result<U, E>) -> Result<PerHead<U>, E> {
                Ok(PerHead { $($name: make(self.$name)?,)* })
            }

            /// Each with that of another record.
            pub fn zip<U>(self, other: PerHead<U>) -> PerHead<(T, U)> {
                PerHead { $($name: (self.$name, other.$name),)* }
            }
        }

        impl<T> IntoIterator for PerHead<T> {
            type Item = T;
            type IntoIter = std::array::IntoIter<T, COUNT>;

            fn into_iter(self) -> Self::IntoIter {
                [$(self.$name),*].into_iter()
            }
        }

        /// The network's outputs for a batch, all in fp32 and from the point of view of the side to move.
        #[derive(Debug)]
        pub struct Outputs {
            /// `[batch, tokens, features]`: what the logits of moves are computed from, see `policy.rs`.
            pub tokens: Tensor,
            $(#[doc = concat!("`[batch", $(", ", stringify!($width),)? "]`: ", $output, ".")] pub $name: Tensor,)*
        }

        impl Outputs {
            /// These outputs.
            pub(crate) fn new(tokens: Tensor, values: PerHead<Tensor>) -> Outputs {
                Outputs { tokens, $($name: values.$name,)* }
            }

            /// Those of the heads of the value branch.
            pub(crate) fn of_heads(&self) -> PerHead<&Tensor> {
                PerHead { $($name: &self.$name,)* }
            }

            /// All outputs with their names.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, &Tensor)> {
                [("tokens", &self.tokens), $((stringify!($name), &self.$name)),*].into_iter()
            }
        }

        /// Weights of the losses in their sum. The policy and value losses are cross-entropies in nats.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct LossConfig {
            #[doc = $policy_weight]
            #[serde(skip)]
            pub policy: f64,
            $(#[doc = $weight] $(#[$weight_attribute])* pub $key: f64,)*
        }

        impl Default for LossConfig {
            fn default() -> Self {
                LossConfig { policy: $policy_default, $($key: $default,)* }
            }
        }

        impl LossConfig {
            /// Those of the heads of the value branch.
            pub(crate) fn of_heads(&self) -> PerHead<f64> {
                PerHead { $($name: self.$key,)* }
            }
        }

        /// Something of each mean in [`Metrics`].
        pub(crate) struct Means<T> {
            pub loss: T,
            $(pub $figure: T,)*
            pub heads: PerHead<T>,
        }

        /// Number of means in [`Metrics`].
        const MEANS: usize = 1 + [$(stringify!($figure)),*].len() + COUNT;

        /// Number of sums over samples from which metrics are made.
        pub(crate) const SUMS: usize = 2 * MEANS;

        impl<T> Means<T> {
            /// All of them, in the order in which [`Metrics::from_sums`] takes them.
            pub fn in_order(self) -> [T; MEANS] {
                [self.loss, $(self.$figure,)* $(self.heads.$name),*]
            }
        }

        /// Means over the samples of some steps; each mean is over the samples that have weight for it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct Metrics {
            /// The weighted sum of all losses.
            pub loss: f64,
            $(#[doc = $figure_meaning] pub $figure: f64,)*
            $(#[doc = $metric] $(#[$attribute])* pub $key: f64,)*
            /// Number of samples.
            pub samples: f64,
        }

        impl Metrics {
            /// The means, from sums over any number of batches: those of the weighted values, and then those of the weights.
            pub(crate) fn from_sums(sums: &[f64; SUMS]) -> Metrics {
                let (values, weights) = sums.split_at(MEANS);
                let mean = |(&sum, &rows): (&f64, &f64)| if rows > 0.0 { sum / rows } else { 0.0 };
                let mut means = values.iter().zip(weights).map(mean);
                let mut next = || means.next().unwrap_or_default();
                Metrics {
                    loss: next(),
                    $($figure: next(),)*
                    $($key: next(),)*
                    // Every sample counts for the loss.
                    samples: weights[0],
                }
            }

            /// Those of the heads of the value branch.
            fn of_heads(&self) -> PerHead<f64> {
                PerHead { $($name: self.$key,)* }
            }
        }
    };
}

/// The width of a head, as the declaration has it.
macro_rules! width {
    () => {
        Width::Number
    };
    ($count:literal) => {
        Width::Numbers($count)
    };
    ($key:ident) => {
        Width::OfShape { field: stringify!($key), count: |shape| shape.$key }
    };
}

pub(super) use {heads, width};
